package io.servedrift.monitors.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.testkit.AcceptanceRow.Met;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * How good the verdicts are, as one table: each case with the number of runs, what was measured
 * with its 95 % interval, the bar and whether it is met.
 *
 * <p>The seeds of the table begin at 900000 and were never used to choose a rule or a number; with
 * {@code --seed} other ones can be used to develop. Stateless.
 */
public final class AcceptanceTable {
  private static final int PASS = 0;
  private static final int USAGE = 2;
  private static final int MISSED = 10;

  private static final List<AcceptancePart> PARTS =
      List.of(
          new ProductPart.Silence(),
          new ProductPart.Young(false),
          new ProductPart.Young(true),
          new ProductPart.Special(),
          new AttributionPart.Cubes(),
          new AttributionPart.Scenarios(),
          new ReferencePart.Delays(),
          new ReferencePart.FalseAlarms(),
          new ReferencePart.Peers(),
          new ProductPart.Month());

  private AcceptanceTable() {}

  /** Runs it; exit code 10 when a bar is missed, 2 for wrong arguments. */
  public static void main(String[] arguments) {
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println("acceptance: " + e.getMessage());
      System.err.println(
          "usage: acceptance [PART...] [--quick|--full] [--runs N] [--seed S] [--threads N]"
              + " [--json]; parts: "
              + String.join(" ", names()));
      System.exit(USAGE);
      return;
    }
    List<AcceptanceRow> rows =
        measure(
            options.parts(),
            options.size(),
            row -> System.err.println(row.part() + ": " + row.name() + ": " + row.measured()));
    System.out.print(options.json() ? json(rows, options.size()) : text(rows));
    System.exit(rows.stream().anyMatch(row -> row.met() == Met.NO) ? MISSED : PASS);
  }

  private static List<String> names() {
    return PARTS.stream().map(AcceptancePart::name).toList();
  }

  static List<AcceptanceRow> measure(
      List<String> parts, AcceptanceSize size, Consumer<AcceptanceRow> progress) {
    List<AcceptanceRow> rows = new ArrayList<>();
    for (AcceptancePart part : PARTS) {
      if (parts.isEmpty() || parts.contains(part.name())) {
        part.run(
            size,
            row -> {
              rows.add(row);
              progress.accept(row);
            });
      }
    }
    return rows;
  }

  /** What the command line says. */
  record Options(List<String> parts, AcceptanceSize size, boolean json) {
    static Options parse(String... arguments) {
      List<String> parts = new ArrayList<>();
      boolean full = false;
      boolean json = false;
      long runs = 0;
      long seed = AcceptanceSize.RESERVED_SEEDS;
      long threads = 1;
      Iterator<String> next = Arrays.asList(arguments).iterator();
      while (next.hasNext()) {
        String argument = next.next();
        switch (argument) {
          case "--quick" -> full = false;
          case "--full" -> full = true;
          case "--json" -> json = true;
          case "--runs" -> runs = number(argument, next, 1, 100_000);
          case "--seed" -> seed = number(argument, next, 0, Integer.MAX_VALUE);
          case "--threads" -> threads = number(argument, next, 1, 256);
          default -> {
            if (!names().contains(argument)) {
              throw new IllegalArgumentException(
                  argument + ": no such part or option; parts are " + String.join(" ", names()));
            }
            parts.add(argument);
          }
        }
      }
      return new Options(parts, new AcceptanceSize(full, (int) runs, seed, (int) threads), json);
    }

    private static long number(String option, Iterator<String> next, long least, long most) {
      String text = next.hasNext() ? next.next() : "nothing";
      try {
        long value = Long.parseLong(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(option + " " + text + ": must be a whole number", e);
      }
      throw new IllegalArgumentException(
          option + " " + text + ": must be from " + least + " to " + most);
    }
  }

  /** The table for people. */
  static String text(List<AcceptanceRow> rows) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of("part", "case", "n", "measured (95 %)", "bar", "met"));
    for (AcceptanceRow row : rows) {
      lines.add(
          List.of(
              row.part(),
              row.name(),
              Long.toString(row.n()),
              row.measured(),
              row.bar().isEmpty() ? "-" : row.bar(),
              row.met().word()));
    }
    int[] widths = new int[lines.get(0).size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        one.append(String.format(Locale.ROOT, "%-" + (widths[i] + 2) + "s", line.get(i)));
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** The table for programs. Ends of intervals that are infinite are null. */
  static String json(List<AcceptanceRow> rows, AcceptanceSize size) {
    ObjectNode all = new ObjectMapper().createObjectNode();
    all.put("first_seed", size.seed());
    all.put("full", size.full());
    ArrayNode lines = all.putArray("rows");
    for (AcceptanceRow row : rows) {
      ObjectNode line = lines.addObject();
      line.put("part", row.part()).put("case", row.name()).put("n", row.n());
      finite(line, "value", row.value());
      finite(line, "lower", row.interval().lower());
      finite(line, "upper", row.interval().upper());
      line.put("unit", row.unit()).put("bar", row.bar());
      line.put("met", row.met().name().toLowerCase(Locale.ROOT));
    }
    return all.toPrettyString() + "\n";
  }

  private static void finite(ObjectNode line, String name, double value) {
    if (Double.isFinite(value)) {
      line.put(name, value);
    } else {
      line.putNull(name);
    }
  }
}
