package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.ScoreInterval;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "The recorded scores, oldest first.")
final class EvalListCommand extends LedgerCommand {
  private static final List<String> HEADER =
      List.of(
          "id",
          "at",
          "deployment",
          "evaluation",
          "value",
          "95 % interval",
          "n",
          "data",
          "configuration",
          "model",
          "marks");

  @Mixin private final EvalFilter filter = new EvalFilter();

  @Option(names = "--all", description = "Superseded ones too.")
  private boolean all;

  EvalListCommand(CommandContext context) {
    super(context);
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException {
    Ledger ledger = read(access);
    Set<String> superseded = ledger.superseded();
    List<LedgerEntry> shown =
        (all ? ledger.entries() : ledger.standing()).stream().filter(filter).toList();
    if (json()) {
      print(ledger, shown, superseded);
    } else if (shown.isEmpty()) {
      out().println("no scores");
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(HEADER);
      shown.forEach(entry -> rows.add(row(entry, superseded)));
      EvalText.table(rows).forEach(out()::println);
    }
    return ExitCode.DONE;
  }

  private static List<String> row(LedgerEntry entry, Set<String> superseded) {
    EvalResult result = entry.result();
    return List.of(
        EvalText.printable(entry.id()),
        result.getAt().toString(),
        EvalText.orDash(result.getDeployment()),
        EvalText.printable(entry.name()),
        EvalText.number(result.getValue()),
        ScoreInterval.of(result).isKnown() ? EvalText.interval(result) : "insufficient",
        EvalText.orDash(result.getN()),
        EvalText.orDash(result.getDataset()),
        EvalText.orDash(entry.configId()),
        EvalText.printable(entry.modelName()),
        marks(entry, superseded));
  }

  private static String marks(LedgerEntry entry, Set<String> superseded) {
    List<String> words = new ArrayList<>();
    EvalText.marks(entry).forEach(mark -> words.add(mark.replaceAll("[:,].*", "")));
    if (superseded.contains(entry.id())) {
      words.add("superseded");
    }
    return words.isEmpty() ? "-" : String.join("; ", words);
  }

  private void print(Ledger ledger, List<LedgerEntry> shown, Set<String> superseded) {
    ObjectNode document = JsonOutput.document();
    ArrayNode evals = document.putArray("evals");
    for (LedgerEntry entry : shown) {
      ObjectNode node = entry.toJson();
      node.put("superseded", superseded.contains(entry.id()));
      evals.add(node);
    }
    putProblems(document, ledger);
    JsonOutput.print(document, out());
  }
}
