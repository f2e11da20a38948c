package io.servedrift.monitors.cli;

import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.run.RecordedTraffic;
import io.servedrift.monitors.gate.run.RunOptions;
import io.servedrift.monitors.text.NearestKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much a gate asks, and of what. */
final class GateOptions {
  private static final Pattern LEVEL = Pattern.compile("([1-9]\\d{0,2})(?::([1-9]\\d?))?");
  private static final int MOST_IN_FLIGHT = 256;
  private static final int USUAL_IN_FLIGHT = 4;

  @Option(
      names = "--samples",
      paramLabel = "NUMBER",
      defaultValue = "200",
      description =
          "Prompts to ask, drawn from the file by class; default: ${DEFAULT-VALUE}. Each is asked"
              + " up to 14 times.")
  private int samples;

  @Option(
      names = "--concurrency",
      paramLabel = "K[:SHARE],...",
      description =
          "Requests in flight in production, with shares when it varies (1:2,8:1); default: that of"
              + " --traffic, else 4.")
  private @Nullable String concurrency;

  @Option(
      names = "--peak-rate",
      paramLabel = "NUMBER",
      description =
          "Arrivals per second at peak, load 1.0 of the open loop; default: the busiest minute of"
              + " --traffic, else 70 %% of what the old side does at the concurrency.")
  private @Nullable Double peak;

  @Option(
      names = "--rate",
      paramLabel = "NUMBER",
      description =
          "At most so many requests per second where the gate sets the pace; default: no limit. The"
              + " open loop keeps its arrivals.")
  private @Nullable Double rate;

  @Option(
      names = "--after-flip",
      paramLabel = "NUMBER",
      defaultValue = "100",
      description = "Requests after the way back; default: ${DEFAULT-VALUE}.")
  private int afterFlip;

  @Option(
      names = "--flip-limit",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Longest time the way back may take; default: ${DEFAULT-VALUE}.")
  private int flipLimit;

  @Option(
      names = "--only",
      paramLabel = "CHECK,...",
      split = ",",
      description = "Run only what these checks need; the others are then insufficient.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "From which all that is drawn follows; default: ${DEFAULT-VALUE}.")
  private long seed;

  /**
   * As it was asked for.
   *
   * @param problems takes what is wrong
   */
  RunOptions of(GatePolicy policy, @Nullable RecordedTraffic traffic, List<String> problems) {
    GatePolicy.Load load = policy.load();
    require(samples >= 1 && samples <= 100_000, "--samples=" + samples, "1 to 100000", problems);
    require(
        afterFlip >= 1 && afterFlip <= 100_000,
        "--after-flip=" + afterFlip,
        "1 to 100000",
        problems);
    require(
        flipLimit >= 1 && flipLimit <= 3600, "--flip-limit=" + flipLimit, "1 to 3600", problems);
    require(rate == null || usable(rate), "--rate=" + rate, "above 0, to 10000", problems);
    require(peak == null || usable(peak), "--peak-rate=" + peak, "above 0, to 10000", problems);
    return new RunOptions(
        seed,
        Math.max(1, samples),
        levels(traffic, problems),
        rate == null ? 0 : rate,
        peak,
        load.loads(),
        Math.toIntExact(load.blocks()),
        Duration.ofMillis(Math.round(load.blockSeconds() * 1000)),
        Duration.ofMillis(Math.round(load.warmUpSeconds() * 1000)),
        afterFlip,
        Duration.ofSeconds(Math.max(1, flipLimit)),
        checks(problems));
  }

  private static boolean usable(double perSecond) {
    return perSecond > 0 && perSecond <= 10_000;
  }

  private static void require(boolean right, String given, String allowed, List<String> problems) {
    if (!right) {
      problems.add(given + ": must be " + allowed);
    }
  }

  private List<Integer> levels(@Nullable RecordedTraffic traffic, List<String> problems) {
    if (concurrency == null) {
      Double live = traffic == null ? null : traffic.concurrency();
      long usual = live == null ? USUAL_IN_FLIGHT : Math.max(1, Math.round(live));
      return List.of((int) Math.min(MOST_IN_FLIGHT, usual));
    }
    List<Integer> levels = new ArrayList<>();
    for (String part : concurrency.split(",", -1)) {
      Matcher level = LEVEL.matcher(part.strip());
      if (!level.matches() || Integer.parseInt(level.group(1)) > MOST_IN_FLIGHT) {
        problems.add(
            "--concurrency="
                + concurrency
                + ": must be K or K:SHARE,..., each K 1 to "
                + MOST_IN_FLIGHT
                + ", each share 1 to 99");
        return List.of(1);
      }
      int share = level.group(2) == null ? 1 : Integer.parseInt(level.group(2));
      for (int i = 0; i < share; i++) {
        levels.add(Integer.valueOf(level.group(1)));
      }
    }
    return levels;
  }

  private Set<CheckName> checks(List<String> problems) {
    if (only.isEmpty()) {
      return EnumSet.allOf(CheckName.class);
    }
    List<String> known = Arrays.stream(CheckName.values()).map(CheckName::label).toList();
    Set<CheckName> checks = EnumSet.noneOf(CheckName.class);
    for (String name : only) {
      Optional<CheckName> check =
          Arrays.stream(CheckName.values()).filter(one -> one.label().equals(name)).findFirst();
      if (check.isPresent()) {
        checks.add(check.get());
      } else {
        String hint =
            NearestKey.of(name, known)
                .map(near -> "did you mean " + near + "?")
                .orElse("must be one of " + known.stream().collect(Collectors.joining(", ")));
        problems.add("--only=" + name + ": " + hint);
      }
    }
    return checks;
  }
}
