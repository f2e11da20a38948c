package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.bench.CapacityBench;
import io.servedrift.monitors.bench.LongReplay;
import io.servedrift.monitors.bench.Phase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "bench",
    description = "Measure the capacity of this machine: CPU per record of each step, in one run.")
final class BenchCommand implements Callable<Integer> {

  private static final int LEAST_RECORDS = 1_000;

  @Option(
      names = "--records",
      paramLabel = "NUMBER",
      defaultValue = "500000",
      description = "Records to measure with; default: ${DEFAULT-VALUE}.")
  private int records;

  @Option(
      names = "--passes",
      paramLabel = "NUMBER",
      defaultValue = "3",
      description = "Passes; the last one counts, the others warm up; default: ${DEFAULT-VALUE}.")
  private int passes;

  @Option(
      names = "--long-replay",
      description =
          "One pass of poll, poll + decode and replay, with the live heap at ten points: for many"
              + " records, for example 10000000.")
  private boolean longReplay;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  private final CommandContext context;

  BenchCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    if (records < LEAST_RECORDS || passes < 1) {
      throw CommandFailure.usage(
          "--records="
              + records
              + " --passes="
              + passes
              + ": must be at least "
              + LEAST_RECORDS
              + " and 1");
    }
    try (Parts parts = new Parts()) {
      Path scratch = Files.createTempDirectory("servedrift-bench-");
      parts.add("scratch folder", () -> Folders.delete(scratch));
      BrokerProcess broker = parts.add("broker", BrokerProcess.start(scratch.resolve("broker")));
      if (longReplay) {
        LongReplay.Result result =
            new LongReplay(broker.bootstrapServers(), this::say).run(records);
        print(result.phases(), result.heap());
      } else {
        CapacityBench bench =
            new CapacityBench(broker.bootstrapServers(), scratch.resolve("streams"), this::say);
        print(bench.run(records, passes), List.of());
      }
    }
    return ExitCode.DONE.code();
  }

  private void say(String line) {
    if (!context.output().quiet()) {
      context.terminal().err().println(line);
    }
  }

  private void print(List<Phase> phases, List<LongReplay.Heap> heap) {
    PrintWriter out = context.terminal().out();
    int processors = Runtime.getRuntime().availableProcessors();
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put("processors", processors);
      ArrayNode all = document.putArray("phases");
      for (Phase phase : phases) {
        all.addObject()
            .put("name", phase.name())
            .put("records", phase.records())
            .put("wall_seconds", phase.wallSeconds())
            .put("cpu_seconds", phase.cpuSeconds())
            .put("cpu_seconds_per_million", phase.cpuSecondsPerMillion())
            .put("multiple_of_decoding", multiple(phase, phases))
            .put("records_per_second", phase.recordsPerSecond());
      }
      ArrayNode samples = document.putArray("live_heap");
      heap.forEach(
          one -> samples.addObject().put("records", one.records()).put("bytes", one.bytes()));
      JsonOutput.print(document, out);
      return;
    }
    out.printf(
        Locale.ROOT,
        "%-30s  %12s  %14s  %9s  %12s%n",
        "step",
        "records",
        "CPU s/million",
        "decode=1",
        "records/s");
    for (Phase phase : phases) {
      out.printf(
          Locale.ROOT,
          "%-30s  %,12d  %14.2f  %9.1f  %,12.0f%n",
          phase.name(),
          phase.records(),
          phase.cpuSecondsPerMillion(),
          multiple(phase, phases),
          phase.recordsPerSecond());
    }
    for (LongReplay.Heap one : heap) {
      out.printf(
          Locale.ROOT,
          "live heap after %,12d records  %,8.1f MB%n",
          one.records(),
          one.bytes() / 1e6);
    }
    out.printf(Locale.ROOT, "%d processors; the CPU time of the broker is not in it%n", processors);
  }

  /** CPU time as a multiple of polling and decoding the same records. */
  private static double multiple(Phase phase, List<Phase> phases) {
    return phases.stream()
        .filter(one -> one.name().equals(Phase.DECODE))
        .mapToDouble(one -> phase.cpuSeconds() / one.cpuSeconds())
        .findFirst()
        .orElse(Double.NaN);
  }
}
