package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.FindingTest;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.RegressionCase;
import io.servedrift.monitors.gate.run.GatePrompt;
import io.servedrift.monitors.gate.run.RunOptions;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The finding that a gate is to decide: which checks do, and which prompts showed it. Without
 * {@code --finding} it changes nothing. Not thread-safe.
 */
final class GateFinding {
  @Option(
      names = "--finding",
      paramLabel = "ID",
      description =
          "Run the test that decides this finding: its cause says which checks, the prompts of its"
              + " exemplars come first. Needs the deployment's key in"
              + " SERVEDRIFT_PROMPT_HASH_KEY_FILE, and the exemplars' requests in --traffic.")
  private @Nullable String id;

  @Option(
      names = "--findings",
      paramLabel = "FILE",
      description = "Findings as replay --json prints them; default: those of the last replay.")
  private @Nullable Path file;

  @Option(
      names = "--keep-case",
      paramLabel = "FILE",
      description =
          "Keep the prompts of a closed finding there as a regression case: a prompt file for later"
              + " gates.")
  private @Nullable Path caseFile;

  private final Map<String, String> hashes = new HashMap<>();
  private final Set<String> wanted = new HashSet<>();
  private Set<CheckName> run = Set.of();
  private @Nullable JsonNode finding;
  private @Nullable FindingTest test;

  /**
   * Looks the finding up, where one is named.
   *
   * @param problems takes what is wrong
   */
  void find(CommandContext context, List<String> problems) {
    if (id == null) {
      if (caseFile != null) {
        problems.add("--keep-case: needs --finding ID of the finding to keep");
      }
      return;
    }
    finding = (file == null ? inLastReplay(context, id) : inFile(file, id)).orElse(null);
    if (finding == null) {
      String place = file == null ? "the last replay" : file.toString();
      problems.add(
          "--finding=" + id + ": not found in " + place + "; --findings FILE names others");
    } else {
      wanted.addAll(FindingTest.requests(finding));
    }
  }

  /**
   * Refuses to be used with an option that asks nobody.
   *
   * @throws CommandFailure when a finding is named all the same
   */
  void requireNone(String option) {
    if (id != null || caseFile != null) {
      throw CommandFailure.usage("--finding and --keep-case: not with " + option);
    }
  }

  private static Optional<JsonNode> inFile(Path file, String id) {
    List<JsonNode> states = FindingFile.of(file, id);
    return states.isEmpty() ? Optional.empty() : Optional.of(states.get(states.size() - 1));
  }

  private static Optional<JsonNode> inLastReplay(CommandContext context, String id) {
    return LastReplay.find(context.environment()).flatMap(replay -> replay.finding(id));
  }

  /** Takes a request of recorded traffic: it may be one of the exemplars. */
  void take(RequestEvent request) {
    if (wanted.contains(request.getRequestId()) && request.getWorkload() != null) {
      String hash = request.getWorkload().getPromptHash();
      if (hash != null) {
        hashes.putIfAbsent(request.getRequestId(), hash);
      }
    }
  }

  /**
   * The options with the checks that decide the finding; those that {@code --only} names go first.
   *
   * @param prompts of the file, hashed where there is a key
   * @param problems takes what is wrong
   */
  RunOptions narrowed(RunOptions options, List<GatePrompt> prompts, List<String> problems) {
    run = options.checks();
    if (finding == null) {
      return options;
    }
    if (!prompts.isEmpty() && prompts.get(0).hash() == null) {
      problems.add(
          "--finding="
              + id
              + ": findings know prompts by their keyed hash: SERVEDRIFT_PROMPT_HASH_KEY_FILE must"
              + " name the deployment's key");
    }
    List<@Nullable String> known = new ArrayList<>();
    prompts.forEach(prompt -> known.add(prompt.hash()));
    FindingTest chosen = FindingTest.of(finding, hashes, known);
    test = chosen;
    boolean all = options.checks().size() == CheckName.values().length;
    if (chosen.checks().isEmpty()) {
      problems.add(
          "--finding="
              + id
              + ": no replay decides the cause "
              + chosen.cause()
              + "; next test: "
              + chosen.question());
      return options;
    }
    run = all ? chosen.checks() : options.checks();
    return options.withChecks(run);
  }

  /**
   * Those of the exemplars first, then others of their classes, then the rest, as many as asked.
   */
  List<GatePrompt> prompts(List<GatePrompt> all, int most) {
    if (test == null) {
      return all;
    }
    Set<GatePrompt> chosen = new LinkedHashSet<>();
    test.prompts().forEach(place -> chosen.add(all.get(place)));
    Set<String> classes = new HashSet<>();
    chosen.forEach(prompt -> classes.add(prompt.stratum()));
    all.stream().filter(prompt -> classes.contains(prompt.stratum())).forEach(chosen::add);
    chosen.addAll(all);
    return chosen.stream().limit(most).toList();
  }

  /**
   * Writes the regression case, where one is asked for.
   *
   * @param promptFile the file of the prompts
   * @throws CommandFailure when the finding is not over, none of its prompts is in the file, or the
   *     case cannot be written
   */
  void keepCase(@Nullable Path promptFile) {
    if (caseFile == null || finding == null || test == null || promptFile == null) {
      return;
    }
    try {
      Files.write(
          caseFile, RegressionCase.lines(finding, Files.readString(promptFile), test.prompts()));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "--keep-case: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.USAGE, "--keep-case=" + caseFile + ": cannot be written", e);
    }
  }

  /** Says on stderr what was chosen. */
  void tell(CommandContext context) {
    if (test == null || context.output().quiet()) {
      return;
    }
    context
        .terminal()
        .err()
        .println(
            "servedrift: finding "
                + test.findingId()
                + ", cause "
                + test.cause()
                + ": "
                + test.question()
                + "; of "
                + test.exemplars()
                + " exemplars "
                + (test.exemplars() - test.unmatched() - test.unhashed())
                + " are prompts of the file, "
                + test.unmatched()
                + " are not, of "
                + test.unhashed()
                + " the prompt is not known");
  }

  /** What the gate says about the finding, as a line. */
  void print(GateResult result, PrintWriter out) {
    if (test != null) {
      out.println();
      out.println(test.sentence(test.answer(result, run)));
      out.flush();
    }
  }

  /** The document with the finding in it. */
  ObjectNode addTo(ObjectNode document, GateResult result) {
    if (test != null) {
      FindingTest.Answer answer = test.answer(result, run);
      ObjectNode node = document.putObject("finding");
      node.put("finding_id", test.findingId())
          .put("cause", test.cause())
          .put("answer", answer.name().toLowerCase(Locale.ROOT))
          .put("exemplars", test.exemplars())
          .put("matched_prompts", test.prompts().size())
          .put("unmatched", test.unmatched())
          .put("prompt_not_known", test.unhashed());
      ArrayNode checks = node.putArray("checks");
      test.checks().stream().sorted().forEach(check -> checks.add(check.label()));
    }
    return document;
  }
}
