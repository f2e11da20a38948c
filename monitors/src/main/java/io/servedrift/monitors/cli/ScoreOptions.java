package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.JsonPath;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.SecretText;
import io.servedrift.monitors.ledger.io.ScoreSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Where the number comes from: the results of a harness, a place in a JSON file, or the options.
 */
final class ScoreOptions {
  @Option(
      names = "--results",
      paramLabel = "PATH",
      description =
          "Result file, or a folder whose newest .json file it is: results of"
              + " lm-evaluation-harness, or any JSON with --json-path.")
  private @Nullable Path results;

  @Option(
      names = "--json-path",
      paramLabel = "PATH",
      description =
          "Place of the value in the result file: results.geneval.overall; \\. is a dot in a name.")
  private @Nullable String valuePath;

  @Option(
      names = "--n-path",
      paramLabel = "PATH",
      description = "Place of the number of samples in the result file.")
  private @Nullable String nPath;

  @Option(
      names = "--stderr-path",
      paramLabel = "PATH",
      description = "Place of the standard error in the result file.")
  private @Nullable String stderrPath;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the evaluation; of a harness' results only this task.")
  private @Nullable String name;

  @Option(
      names = "--metric",
      paramLabel = "NAME",
      description = "Name of the metric; of a harness' results only this one.")
  private @Nullable String metric;

  @Option(names = "--value", paramLabel = "NUMBER", description = "The score.")
  private @Nullable Double value;

  @Option(names = "--n", paramLabel = "NUMBER", description = "Number of samples.")
  private @Nullable Long n;

  @Option(
      names = "--stderr",
      paramLabel = "NUMBER",
      description = "Standard error of the score; without it nothing is compared with it.")
  private @Nullable Double stderr;

  @Option(
      names = "--dataset",
      paramLabel = "NAME@VERSION",
      description = "The data; default: what the harness says.")
  private @Nullable String dataset;

  @Option(
      names = "--dataset-digest",
      paramLabel = "DIGEST",
      description = "Digest of the data, for example sha256:...")
  private @Nullable String datasetDigest;

  @Option(
      names = "--setting",
      paramLabel = "NAME=VALUE",
      description = "A setting of the harness that moves the score, may be repeated.")
  private final Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--lower-is-better", description = "A lower score is the better one.")
  private boolean lowerIsBetter;

  @Option(
      names = "--higher-is-better",
      description = "A higher score is the better one. Without a direction nothing is ranked.")
  private boolean higherIsBetter;

  /** Where the results of the harness are, null when the options say the score. */
  @Nullable Path results() {
    return results;
  }

  /** How the result file is read, to be kept for the next run. */
  Map<String, String> paths() {
    Map<String, String> paths = new TreeMap<>();
    put(paths, "value", valuePath);
    put(paths, "n", nPath);
    put(paths, "stderr", stderrPath);
    return paths;
  }

  private static void put(Map<String, String> into, String key, @Nullable String path) {
    if (path != null) {
      into.put(key, path);
    }
  }

  /**
   * What is wrong with the options together.
   *
   * @param measured whether a command will write the results
   */
  List<String> problems(boolean measured) {
    List<String> problems = new ArrayList<>();
    boolean file = results != null || measured;
    if (value == null && !file) {
      problems.add("no score given: needs --results PATH or --value NUMBER");
    }
    if (value != null && file) {
      problems.add("--value: not together with a result file");
    }
    if (lowerIsBetter && higherIsBetter) {
      problems.add("--lower-is-better, --higher-is-better: one of the two");
    }
    if (valuePath == null && (nPath != null || stderrPath != null)) {
      problems.add("--n-path, --stderr-path: need --json-path");
    }
    if (valuePath != null && !file) {
      problems.add("--json-path: needs --results PATH");
    }
    if ((value != null || valuePath != null) && (name == null || metric == null)) {
      problems.add("needs --name NAME and --metric NAME");
    }
    settings.forEach(
        (key, text) -> {
          if (SecretText.isIn(key + "=" + text)) {
            problems.add("--setting " + key + ": may be secret, and secrets are not kept");
          }
        });
    for (String path : paths().values()) {
      try {
        JsonPath.parse(path);
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return problems;
  }

  /** A score as the options say it, with a value that stands for the one to be measured. */
  Measurement probe() {
    return source(name == null ? "any" : name, metric == null ? "any" : metric).ofValue(0);
  }

  /** Whether a record is of the evaluation and metric that are named, as far as they are. */
  boolean canBe(LedgerEntry entry) {
    return (name == null || name.equals(entry.result().getName()))
        && (metric == null || metric.equals(entry.result().getMetric()));
  }

  /** The score that the options say, or those of a result file. */
  Measurement measurement(@Nullable Path file) throws IOException {
    ScoreSource source = source(name, metric);
    return file == null || value != null
        ? source.ofValue(value == null ? Double.NaN : value)
        : source.read(file);
  }

  private ScoreSource source(@Nullable String evaluation, @Nullable String ofMetric) {
    return new ScoreSource(
        evaluation,
        ofMetric,
        n,
        stderr,
        higherIsBetter ? Boolean.TRUE : lowerIsBetter ? Boolean.FALSE : null,
        dataset,
        datasetDigest,
        settings,
        paths());
  }
}
