package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.ledger.LatencyScore;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "The evidence behind one score.")
final class EvalShowCommand extends LedgerCommand {
  @Parameters(paramLabel = "ID", description = "eval_id of the score.")
  private String id = "";

  EvalShowCommand(CommandContext context) {
    super(context);
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException {
    Ledger ledger = read(access);
    LedgerEntry entry = find(ledger, id);
    List<String> followers =
        ledger.entries().stream()
            .filter(other -> id.equals(other.result().getSupersedes()))
            .map(LedgerEntry::id)
            .toList();
    if (json()) {
      ObjectNode document = document(entry, followers);
      putProblems(document, ledger);
      JsonOutput.print(document, out());
    } else {
      print(entry, followers);
    }
    return ExitCode.DONE;
  }

  private static ObjectNode document(LedgerEntry entry, List<String> followers) {
    ObjectNode document = JsonOutput.document();
    ObjectNode eval = entry.toJson();
    String schema = entry.result().getConfigSchema();
    JsonNode axes = schema == null ? null : JsonOutput.parse(schema);
    if (axes != null) {
      eval.set("config_schema", axes);
    }
    document.set("eval", eval);
    document.put("digest_is", standing(entry.result()));
    ArrayNode by = document.putArray("superseded_by");
    followers.forEach(by::add);
    return document;
  }

  private static String standing(EvalResult result) {
    return EvalDigest.standing(result).name().toLowerCase(Locale.ROOT);
  }

  private void print(LedgerEntry entry, List<String> followers) {
    EvalResult result = entry.result();
    out().println(EvalText.printable(entry.id() + "  " + entry.name()));
    line("value", EvalText.value(result) + direction(result));
    line("at", result.getAt());
    line("measured", range(result));
    line("deployment", result.getDeployment());
    line("data", result.getDataset());
    line("data digest", result.getDatasetDigest());
    line("harness", result.getHarness());
    line("harness version", result.getHarnessVersion());
    entry.settings().forEach((name, value) -> line("setting " + name, value));
    if (result.getConcurrency() != null || LatencyScore.is(result)) {
      line("concurrency", result.getConcurrency() == null ? "not known" : result.getConcurrency());
    }
    line("command", EvalText.command(entry));
    line("endpoint", result.getEndpoint());
    line("recorded by", result.getBy());
    line("superseded by", followers.isEmpty() ? null : String.join(", ", followers));
    line("digest", EvalText.orDash(result.getDigest()) + " (" + standing(result) + ")");
    EvalText.marks(entry).forEach(mark -> out().println("  * " + mark));
    part("configuration", result.getConfigId(), entry.config());
    part("model", result.getModelId(), entry.model());
    out().println("axes that counted when it was recorded");
    out().println("  " + EvalText.orDash(result.getConfigSchema()));
  }

  private void line(String what, @Nullable Object value) {
    out()
        .println(
            String.format(
                Locale.ROOT, "  %-17s %s", EvalText.printable(what), EvalText.orDash(value)));
  }

  private static String direction(EvalResult result) {
    Boolean higher = result.getHigherIsBetter();
    return higher == null ? "" : higher ? ", higher is better" : ", lower is better";
  }

  private static String range(EvalResult result) {
    return result.getFrom() == null && result.getTo() == null
        ? "not known"
        : EvalText.orDash(result.getFrom()) + " .. " + EvalText.orDash(result.getTo());
  }

  private void part(String what, @Nullable String partId, @Nullable Fingerprint part) {
    out().println(what + " " + EvalText.orDash(partId));
    if (part == null) {
      out().println(partId == null ? "  not recorded" : "  nobody said what it means");
      return;
    }
    ConfigDocument.leaves(part.counted())
        .forEach((path, value) -> out().println("  " + EvalText.printable(path + " = " + value)));
    ConfigDocument.leaves(part.notCounted())
        .forEach(
            (path, value) ->
                out().println("  " + EvalText.printable(path + " = " + value) + "  (not counted)"));
  }
}
