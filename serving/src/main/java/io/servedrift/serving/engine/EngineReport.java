package io.servedrift.serving.engine;

import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/**
 * Measures a pipeline on this machine and prints three tables: how far a request's latent depends
 * on the batch it ran in, in each precision; what a step costs at each batch size; and how far each
 * fault of the engine moves a latent, step by step. Run from the packaged module:
 *
 * <pre>{@code
 * java -cp serving/target/servedrift-serving.jar io.servedrift.serving.engine.EngineReport serving/models/scenes
 * }</pre>
 */
public final class EngineReport {

  private static final int BATCH = 8;
  private static final int[] BATCH_SIZES = {1, 2, 4, BATCH};
  private static final int WARM_UP = 20;
  private static final int TIMED = 60;

  private final PrintStream out;
  private final EngineSettings settings;

  EngineReport(PrintStream out, EngineSettings settings) {
    this.out = out;
    this.settings = settings;
  }

  /**
   * Prints the report.
   *
   * @param arguments the pipeline directory
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("give one argument: the pipeline directory");
    }
    new EngineReport(System.out, EngineSettings.defaults(Path.of(arguments[0]))).print();
  }

  void print() throws InvalidPipelineException, IOException {
    TorchRuntime.start(settings.threads());
    PipelineManifest manifest = PipelineDirectory.read(settings.model()).manifest();
    out.printf(
        "%s %s (%s), %s, %d steps, guidance %s, %d thread%n%n",
        manifest.name(),
        manifest.revision(),
        manifest.weightsDigest().substring(0, 15),
        manifest.shapes().get(0),
        manifest.defaults().steps(),
        manifest.defaults().guidanceScale(),
        settings.threads());
    if (manifest.has(Precision.INT8) && gpu()) {
      out.println("int8 is left out: dynamic quantisation runs on the CPU only");
      out.println();
    }
    printInvariance(manifest);
    printCost(manifest);
    printFaults();
  }

  private boolean gpu() {
    return TorchRuntime.device(settings.device()).isGpu();
  }

  private List<Precision> precisions(PipelineManifest manifest) {
    return Arrays.stream(Precision.values())
        .filter(manifest::has)
        .filter(precision -> precision != Precision.INT8 || !gpu())
        .toList();
  }

  private void printInvariance(PipelineManifest manifest)
      throws InvalidPipelineException, IOException {
    out.println("the same 8 requests compared, latents at the end");
    out.println(
        "precision  compared                        elements that differ  largest  relative L2");
    for (Precision precision : precisions(manifest)) {
      try (TorchBackend backend =
          TorchBackend.load(settings.withPrecision(precision), Faults.none())) {
        Probe probe = new Probe(backend);
        List<float[]> together = probe.together(Probe.PROMPTS, 0);
        difference(precision, "batch 1 with batch 8", probe.alone(), together);
        difference(
            precision,
            "first 2 with other neighbours",
            together.subList(0, 2),
            probe.together(Probe.OTHER_NEIGHBOURS, 0).subList(0, 2));
        difference(precision, "run again", together, probe.together(Probe.PROMPTS, 0));
      }
    }
    out.println();
  }

  private void difference(
      Precision precision, String compared, List<float[]> one, List<float[]> other) {
    LatentDifference difference = LatentDifference.between(one, other);
    out.printf(
        Locale.ROOT,
        "%-9s  %-30s  %19.1f%%  %7.1e  %11.1e%n",
        precision.word(),
        compared,
        100 * difference.differing(),
        difference.largest(),
        difference.relative());
  }

  private void printCost(PipelineManifest manifest) throws InvalidPipelineException, IOException {
    String time = gpu() ? "milliseconds" : "CPU milliseconds";
    out.println("one step, " + time + ", median of " + TIMED + " (guidance doubles the rows)");
    out.println("precision  batch 1  batch 2  batch 4  batch 8  per image, batch 8 to batch 1");
    for (Precision precision : precisions(manifest)) {
      try (TorchBackend backend =
          TorchBackend.load(settings.withPrecision(precision), Faults.none())) {
        double[] millis = new double[BATCH_SIZES.length];
        for (int i = 0; i < millis.length; i++) {
          millis[i] = new Probe(backend).stepMillis(BATCH_SIZES[i], WARM_UP, TIMED, gpu());
        }
        out.printf(
            Locale.ROOT,
            "%-9s  %7.2f  %7.2f  %7.2f  %7.2f  %29.2f%n",
            precision.word(),
            millis[0],
            millis[1],
            millis[2],
            millis[3],
            millis[3] / BATCH / millis[0]);
      }
    }
    out.println();
  }

  private void printFaults() throws InvalidPipelineException, IOException {
    out.println("faults: relative L2 distance of the latents to the exact run after each step,");
    out.println("mean of 8 requests of mixed lengths in one batch, all from the cache, fp32");
    Faults faults = Faults.none();
    try (TorchBackend backend = TorchBackend.load(settings, faults)) {
      Probe probe = new Probe(backend);
      probe.together(Probe.PROMPTS, 0);
      List<List<float[]>> exact = probe.stepByStep(Probe.PROMPTS, 0);
      for (Fault fault :
          List.of(
              Fault.CACHED_CONDITIONING_PRECISION,
              Fault.PADDING_IN_MIXED_BATCHES,
              Fault.LARGE_BATCH_PRECISION)) {
        faults.set(EnumSet.of(fault));
        List<List<float[]>> moved = probe.stepByStep(Probe.PROMPTS, 0);
        faults.set(EnumSet.noneOf(Fault.class));
        StringBuilder line = new StringBuilder(String.format("%-30s", fault.word()));
        for (int step = 0; step < exact.size(); step++) {
          line.append(
              String.format(
                  Locale.ROOT,
                  " %.1e",
                  LatentDifference.between(moved.get(step), exact.get(step)).relative()));
        }
        out.println(line);
      }
    }
  }
}
