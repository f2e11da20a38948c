package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.ledger.AxisChanges;
import io.servedrift.monitors.ledger.Comparison;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.Ranking;
import io.servedrift.monitors.ledger.ScoreInterval;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "compare",
    description = {
      "Rank models by scores that were measured on one configuration.",
      "Models that cannot be told apart share a rank. Exits with 11 when fewer than two can be"
          + " compared."
    })
final class EvalCompareCommand extends LedgerCommand {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

  @Mixin private final EvalFilter filter = new EvalFilter();

  @Option(
      names = "--under",
      paramLabel = "CONFIG",
      required = true,
      description = "The configuration: its config_id, or a file as for config show.")
  private String under = "";

  EvalCompareCommand(CommandContext context) {
    super(context);
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException {
    Fingerprint given = ID.matcher(under).matches() ? null : fromFile();
    Ledger ledger = read(access);
    String configId = given == null ? under : given.id();
    Fingerprint config = given == null ? ledger.dictionary().config(under) : given;
    Comparison comparison =
        Comparison.under(configId, config, ledger.standingUnder(configId), filter);
    if (json()) {
      print(comparison, ledger);
    } else {
      show(comparison);
    }
    return comparison.isConclusive() && ledger.problems().isEmpty()
        ? ExitCode.DONE
        : ExitCode.INSUFFICIENT;
  }

  private Fingerprint fromFile() throws IOException {
    Fingerprint config = ConfigDocument.read(Path.of(under), context().terminal().in()).config();
    if (config == null || !config.isKnown()) {
      throw CommandFailure.usage(under + ": holds no configuration in which something counts");
    }
    return config;
  }

  private void show(Comparison comparison) {
    out().println("under configuration " + comparison.configId());
    for (Ranking ranking : comparison.rankings()) {
      out().println();
      out().println(EvalText.printable(ranking.what()) + ", " + direction(ranking));
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("rank", "model", "value", "95 % interval", "n", "id"));
      ranking.rows().forEach(row -> rows.add(cells(row)));
      EvalText.table(rows).forEach(line -> out().println("  " + line));
      if (!ranking.isComparison()) {
        out().println("  insufficient: " + ranking.missing());
      }
    }
    if (comparison.rankings().isEmpty()) {
      out().println("insufficient: no model was measured under it");
    }
    if (!comparison.others().isEmpty()) {
      out().println();
      out().println("not comparable");
    }
    for (Comparison.Other other : comparison.others()) {
      out().println("  " + EvalText.line(other.entry()));
      out().println("    " + other.why());
      AxisChanges.shown(other.axes())
          .forEach(axis -> out().println("      " + EvalText.printable(axis)));
    }
  }

  private static String direction(Ranking ranking) {
    Boolean higher = ranking.higherIsBetter();
    return higher == null
        ? "which direction is better is not known"
        : higher ? "higher is better" : "lower is better";
  }

  private static List<String> cells(Ranking.Row row) {
    var result = row.entry().result();
    return List.of(
        row.rank() == null ? "-" : row.rank() + (row.tied() ? " (tie)" : ""),
        EvalText.printable(row.entry().modelName()),
        EvalText.number(result.getValue()),
        ScoreInterval.of(result).isKnown() ? EvalText.interval(result) : "insufficient",
        EvalText.orDash(result.getN()),
        EvalText.printable(row.entry().id()));
  }

  private void print(Comparison comparison, Ledger ledger) {
    ObjectNode document = JsonOutput.document().put("config_id", comparison.configId());
    ArrayNode rankings = document.putArray("rankings");
    for (Ranking ranking : comparison.rankings()) {
      ObjectNode node =
          rankings
              .addObject()
              .put("what", ranking.what())
              .put("comparison", ranking.isComparison());
      if (ranking.higherIsBetter() != null) {
        node.put("higher_is_better", ranking.higherIsBetter());
      }
      if (!ranking.isComparison()) {
        node.put("why", ranking.missing());
      }
      ArrayNode rows = node.putArray("models");
      ranking.rows().forEach(row -> rows.add(node(row)));
    }
    ArrayNode others = document.putArray("not_comparable");
    for (Comparison.Other other : comparison.others()) {
      ObjectNode node = others.addObject().put("why", other.why());
      ArrayNode axes = node.putArray("axes");
      other.axes().forEach(axes::add);
      node.set("eval", other.entry().toJson());
    }
    putProblems(document, ledger);
    JsonOutput.print(document, out());
  }

  private static ObjectNode node(Ranking.Row row) {
    ObjectNode node = JsonOutput.object();
    Integer rank = row.rank();
    if (rank == null) {
      node.put("state", "insufficient");
    } else {
      node.put("rank", rank).put("tied", row.tied());
    }
    if (!Double.isNaN(row.low())) {
      node.putArray("interval").add(row.low()).add(row.high());
    }
    node.put("model", row.entry().modelName());
    node.put("value", row.entry().result().getValue());
    node.put("n", row.entry().result().getN());
    node.put("eval_id", row.entry().id());
    return node;
  }
}
