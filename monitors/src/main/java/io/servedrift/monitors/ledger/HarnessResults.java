package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Results of EleutherAI's lm-evaluation-harness: {@code results} by task with keys {@code
 * metric,filter}, the error of each under {@code metric_stderr,filter}, and beside them {@code
 * n-samples}, {@code n-shot}, {@code versions}, {@code higher_is_better} and {@code config}.
 * Results of its older versions, without filters, are read as well.
 */
public final class HarnessResults {
  private static final String HARNESS = "lm-evaluation-harness";
  private static final String STDERR = "_stderr";
  private static final String NO_FILTER = "none";
  private static final int LONGEST_SETTING = 512;
  private static final int SHOWN_OF_LONG = 400;

  /** Of {@code config} what moves a value; the rest names the model, the machine or the output. */
  private static final List<String> CONFIG_SETTINGS = List.of("limit", "gen_kwargs");

  private static final List<String> ROOT_SETTINGS =
      List.of("system_instruction_sha", "chat_template_sha", "fewshot_as_multiturn");

  /** Names of the settings that such a file says. */
  public static final List<String> SETTINGS =
      Stream.of(List.of("n_shot"), CONFIG_SETTINGS, ROOT_SETTINGS).flatMap(List::stream).toList();

  /** Numbers beside the metrics of a task that are none. */
  private static final List<String> NO_METRICS = List.of("sample_len", "samples");

  private final JsonNode root;
  private final List<Score> scores = new ArrayList<>();
  private final List<String> skipped = new ArrayList<>();

  private HarnessResults(JsonNode root) {
    this.root = root;
  }

  /** Whether a document has the shape of these results. */
  public static boolean isLike(JsonNode document) {
    return document.path("results").isObject()
        && (document.path("versions").isObject() || document.path("n-shot").isObject());
  }

  /** Reads every score of a document that {@link #isLike} these results. */
  public static Measurement read(JsonNode document) {
    HarnessResults results = new HarnessResults(document);
    for (Map.Entry<String, JsonNode> task : document.path("results").properties()) {
      results.task(task.getKey(), task.getValue());
    }
    Instant from = results.start();
    return new Measurement(
        results.scores, HARNESS, results.version(), from, results.end(from), results.skipped);
  }

  private void task(String task, JsonNode values) {
    for (Map.Entry<String, JsonNode> value : values.properties()) {
      String key = value.getKey();
      int comma = key.indexOf(',');
      String metric = comma < 0 ? key : key.substring(0, comma);
      String filter = comma < 0 ? NO_FILTER : key.substring(comma + 1);
      if (metric.endsWith(STDERR) || NO_METRICS.contains(key) || !value.getValue().isNumber()) {
        continue;
      }
      if (!Double.isFinite(value.getValue().doubleValue())) {
        skipped.add(task + "/" + key + ": not a number");
        continue;
      }
      scores.add(score(task, metric, filter, comma >= 0, values, value.getValue().doubleValue()));
    }
  }

  private Score score(
      String task, String metric, String filter, boolean filtered, JsonNode values, double value) {
    JsonNode error = values.path(metric + STDERR + (filtered ? "," + filter : ""));
    JsonNode better = root.path("higher_is_better").path(task).path(metric);
    String version = scalar(root.path("versions").path(task));
    String hash = scalar(root.path("task_hashes").path(task));
    return new Score(
        task,
        filter.equals(NO_FILTER) ? metric : metric + "," + filter,
        value,
        samples(task, values),
        error.isNumber() && Double.isFinite(error.doubleValue()) ? error.doubleValue() : null,
        better.isBoolean() ? better.booleanValue() : null,
        version == null ? task : task + "@" + version,
        hash == null ? null : "sha256:" + hash,
        settings(task));
  }

  private @Nullable Long samples(String task, JsonNode values) {
    for (JsonNode n :
        List.of(root.path("n-samples").path(task).path("effective"), values.path("sample_len"))) {
      if (n.canConvertToLong() && n.isIntegralNumber() && n.longValue() >= 0) {
        return n.longValue();
      }
    }
    return null;
  }

  private Map<String, String> settings(String task) {
    Map<String, String> settings = new TreeMap<>();
    put(settings, "n_shot", root.path("n-shot").path(task));
    CONFIG_SETTINGS.forEach(name -> put(settings, name, root.path("config").path(name)));
    ROOT_SETTINGS.forEach(name -> put(settings, name, root.path(name)));
    return settings;
  }

  private void put(Map<String, String> into, String name, JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return;
    }
    String text = value.isValueNode() ? value.asText() : value.toString();
    if (SecretText.isIn(text)) {
      String why = name + ": may hold a secret, and is not kept";
      if (!skipped.contains(why)) {
        skipped.add(why);
      }
    } else if (!text.isEmpty()) {
      into.put(name, bounded(text));
    }
  }

  /** Two long settings with one beginning are not one setting. */
  private static String bounded(String text) {
    return text.length() <= LONGEST_SETTING
        ? text
        : text.substring(0, SHOWN_OF_LONG) + "... sha256:" + sha256(text);
  }

  private static String sha256(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is part of every JDK", e);
    }
  }

  private @Nullable String version() {
    for (String name : List.of("lm_eval_version", "git_hash")) {
      String version = scalar(root.path(name));
      if (version != null) {
        return version;
      }
    }
    return null;
  }

  private static @Nullable String scalar(JsonNode node) {
    return node.isValueNode() && !node.isNull() && !node.asText().isEmpty() ? node.asText() : null;
  }

  /** {@code date} is the start, in seconds. */
  private @Nullable Instant start() {
    JsonNode date = root.path("date");
    return date.isNumber() && Double.isFinite(date.doubleValue())
        ? Instant.EPOCH.plusMillis(Math.round(date.doubleValue() * 1e3))
        : null;
  }

  private @Nullable Instant end(@Nullable Instant from) {
    double seconds = root.path("total_evaluation_time_seconds").asDouble(Double.NaN);
    return from == null || !(seconds >= 0) || Double.isInfinite(seconds)
        ? null
        : from.plusMillis(Math.round(seconds * 1e3));
  }
}
