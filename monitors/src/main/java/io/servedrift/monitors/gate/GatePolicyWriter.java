package io.servedrift.monitors.gate;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a gate policy: every field with its one text, their hash, their documentation. */
final class GatePolicyWriter {
  private static final int HASH_DIGITS = 16;

  private GatePolicyWriter() {}

  static Map<String, String> fields(GatePolicy policy) {
    Map<String, String> fields = new LinkedHashMap<>();
    put(fields, GateField.ALPHA, policy.alpha());
    put(fields, GateField.MINIMUM_PAIRS, policy.minimumPairs());
    put(fields, GateField.MAX_ERROR_SHARE, policy.maxErrorShare());
    put(fields, GateField.DISTANCE_RATIO, policy.outputs().distanceRatio());
    put(fields, GateField.COSINE, policy.outputs().cosine());
    put(fields, GateField.COSINE_SHARE, policy.outputs().cosineShare());
    put(fields, GateField.IDENTICAL, policy.outputs().identical());
    put(fields, GateField.IDENTICAL_SHARE, policy.outputs().identicalShare());
    GatePolicy.Load load = policy.load();
    put(fields, GateField.P99_MARGIN, load.margin());
    put(fields, GateField.LOADS, load.loads());
    put(fields, GateField.LEAST_REQUESTS, load.leastRequests());
    put(fields, GateField.BLOCKS, load.blocks());
    put(fields, GateField.BLOCK, duration(load.blockSeconds()));
    put(fields, GateField.WARM_UP, duration(load.warmUpSeconds()));
    put(fields, GateField.SLO, load.sloSeconds() == null ? null : duration(load.sloSeconds()));
    put(fields, GateField.STRATUM_PAIRS, policy.strata().leastPairs());
    put(fields, GateField.FALSE_DISCOVERIES, policy.strata().falseDiscoveries());
    put(fields, GateField.COVERAGE_ANSWERS, policy.coverageAnswers());
    policy
        .scores()
        .forEach(
            (name, rule) -> {
              put(fields, name, GateField.SCORE_KIND, kind(rule));
              put(fields, name, GateField.WORSE, rule.worse());
              put(fields, name, GateField.MARGIN, rule.margin());
              put(fields, name, GateField.MARGIN_SD, rule.marginSd());
              put(fields, name, GateField.STRATUM_MARGIN, rule.stratumMargin());
              put(fields, name, GateField.STRATUM_MARGIN_SD, rule.stratumMarginSd());
              put(fields, name, GateField.BAR, rule.bar());
            });
    return fields;
  }

  static String hash(GatePolicy policy) {
    StringBuilder text = new StringBuilder();
    fields(policy).forEach((path, value) -> text.append(path + "=" + value + "\n"));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static String table() {
    StringBuilder table = new StringBuilder("| field | default | allowed | meaning |\n");
    table.append("|---|---|---|---|\n");
    for (GateField<?> field : GateField.all()) {
      table.append("| `" + field.path() + "` | " + field.shownDefault() + " | ");
      table.append(field.type().allowed() + " | " + field.meaning() + " |\n");
    }
    return table.toString();
  }

  private static GateField.Kind kind(ScoreRule rule) {
    return rule.ratio() ? GateField.Kind.RATIO : GateField.Kind.SCORE;
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  private static <T> void put(Map<String, String> fields, GateField<T> field, @Nullable T value) {
    fields.put(field.path(), field.text(value));
  }

  private static <T> void put(
      Map<String, String> fields, String score, GateField<T> field, @Nullable T value) {
    fields.put(field.path().replace("NAME", score), field.text(value));
  }
}
