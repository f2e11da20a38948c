package io.servedrift.monitors.ledger.io;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.ledger.HarnessResults;
import io.servedrift.monitors.ledger.JsonPath;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.Score;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which scores to take from a result file, and what to say of them that it does not say itself.
 * What is null is left to the file. Immutable.
 *
 * @param name of the evaluation; of a harness' results only this one
 * @param metric of it; of a harness' results only this one
 * @param n number of samples
 * @param standardError of the value
 * @param higherIsBetter which direction is the better one
 * @param dataset {@code name@version}
 * @param datasetDigest of the data
 * @param settings of the harness, beside those of the file
 * @param paths where {@code value}, {@code n} and {@code stderr} stand; empty for results of
 *     lm-evaluation-harness
 */
public record ScoreSource(
    @Nullable String name,
    @Nullable String metric,
    @Nullable Long n,
    @Nullable Double standardError,
    @Nullable Boolean higherIsBetter,
    @Nullable String dataset,
    @Nullable String datasetDigest,
    Map<String, String> settings,
    Map<String, String> paths) {
  private static final int SHOWN = 20;

  /** Copies the maps. */
  public ScoreSource {
    settings = Map.copyOf(settings);
    paths = Map.copyOf(paths);
  }

  /**
   * The score of a record once more: what its result file says counts, and what was said beside the
   * file stays said.
   *
   * @param standardError of the new value; null when the file says it or nobody
   */
  public static ScoreSource again(LedgerEntry entry, @Nullable Double standardError) {
    EvalResult result = entry.result();
    boolean harness = entry.resultPaths().isEmpty();
    String dataset = result.getDataset();
    boolean fromFile =
        harness
            && (dataset == null
                || dataset.equals(result.getName())
                || dataset.startsWith(result.getName() + "@"));
    Map<String, String> settings = new TreeMap<>(entry.settings());
    if (harness) {
      settings.keySet().removeAll(HarnessResults.SETTINGS);
    }
    return new ScoreSource(
        result.getName(),
        result.getMetric(),
        harness || entry.resultPaths().containsKey("n") ? null : result.getN(),
        standardError,
        result.getHigherIsBetter(),
        fromFile ? null : dataset,
        harness ? null : result.getDatasetDigest(),
        settings,
        entry.resultPaths());
  }

  /** One score that is known already. */
  public Measurement ofValue(double value) {
    return alone(score(value, n, standardError));
  }

  /**
   * Reads the scores of a file.
   *
   * @throws LedgerException when it is no result file or holds no such score
   */
  public Measurement read(Path file) throws IOException {
    JsonNode document = ResultFiles.read(file);
    String path = paths.get("value");
    if (path != null) {
      try {
        return alone(at(document, path));
      } catch (IllegalArgumentException e) {
        throw new LedgerException(file + ": " + e.getMessage(), e);
      }
    }
    if (!HarnessResults.isLike(document)) {
      throw new LedgerException(
          file
              + ": no results of lm-evaluation-harness (an object with results and versions);"
              + " --json-path says where the number stands");
    }
    return chosen(file, HarnessResults.read(document));
  }

  private Score at(JsonNode document, String path) {
    double value = JsonPath.parse(path).number(document);
    Double samples = number(document, paths.get("n"));
    if (samples != null && (samples < 0 || samples != Math.rint(samples))) {
      throw new IllegalArgumentException(paths.get("n") + ": must be a whole number");
    }
    return score(
        value,
        n != null || samples == null ? n : Long.valueOf(samples.longValue()),
        standardError != null ? standardError : number(document, paths.get("stderr")));
  }

  private static @Nullable Double number(JsonNode document, @Nullable String path) {
    return path == null ? null : JsonPath.parse(path).number(document);
  }

  private Score score(double value, @Nullable Long samples, @Nullable Double error) {
    return new Score(
        name == null ? "" : name,
        metric == null ? "" : metric,
        value,
        samples,
        error,
        higherIsBetter,
        dataset,
        datasetDigest,
        settings);
  }

  private static Measurement alone(Score score) {
    return new Measurement(List.of(score), null, null, null, null, List.of());
  }

  private Measurement chosen(Path file, Measurement all) {
    List<Score> chosen =
        all.scores().stream()
            .filter(score -> name == null || name.equals(score.name()))
            .filter(score -> metric == null || metric.equals(score.metric()))
            .map(this::completed)
            .toList();
    if (chosen.isEmpty()) {
      throw new LedgerException(
          file
              + ": holds no such score; it has "
              + all.scores().stream()
                  .limit(SHOWN)
                  .map(score -> score.name() + "/" + score.metric())
                  .collect(Collectors.joining(", ")));
    }
    return new Measurement(
        chosen, all.harness(), all.version(), all.from(), all.to(), all.skipped());
  }

  private Score completed(Score score) {
    Map<String, String> merged = new TreeMap<>(score.settings());
    merged.putAll(settings);
    return new Score(
        score.name(),
        score.metric(),
        score.value(),
        n == null ? score.n() : n,
        standardError == null ? score.standardError() : standardError,
        higherIsBetter == null ? score.higherIsBetter() : higherIsBetter,
        dataset == null ? score.dataset() : dataset,
        datasetDigest == null ? score.datasetDigest() : datasetDigest,
        merged);
  }
}
