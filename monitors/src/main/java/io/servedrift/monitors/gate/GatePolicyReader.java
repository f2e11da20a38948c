package io.servedrift.monitors.gate;

import io.servedrift.monitors.policy.PolicyException;
import io.servedrift.monitors.policy.YamlNode;
import io.servedrift.monitors.text.NearestKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a gate policy and collects what is wrong with it. Used once. */
final class GatePolicyReader {
  private static final String SCORES = "scores";
  private static final int LONGEST_SHOWN = 80;
  private static final int MOST_SCORES = 100;

  private final String origin;
  private final List<String> problems = new ArrayList<>();

  GatePolicyReader(String origin) {
    this.origin = origin;
  }

  GatePolicy read(String yaml) {
    GatePolicy policy = policy(document(yaml));
    if (!problems.isEmpty()) {
      throw new PolicyException(problems.stream().map(p -> origin + ":" + p).toList());
    }
    return policy;
  }

  private YamlNode document(String yaml) {
    try {
      return YamlNode.read(yaml, problems);
    } catch (YamlNode.UnreadableException e) {
      problems.add(String.valueOf(e.getMessage()));
      return new YamlNode.Empty(1);
    }
  }

  private GatePolicy policy(YamlNode root) {
    Part whole = part(root, "", List.of("outputs", "load", "strata", "coverage", SCORES));
    Part outputs = part(whole.get("outputs"), "outputs", List.of());
    Part load = part(whole.get("load"), "load", List.of());
    Part strata = part(whole.get("strata"), "strata", List.of());
    Part coverage = part(whole.get("coverage"), "coverage", List.of());
    return new GatePolicy(
        whole.orDefault(GateField.ALPHA),
        whole.orDefault(GateField.MINIMUM_PAIRS),
        whole.orDefault(GateField.MAX_ERROR_SHARE),
        new GatePolicy.Outputs(
            outputs.orDefault(GateField.DISTANCE_RATIO),
            outputs.orDefault(GateField.COSINE),
            outputs.orDefault(GateField.COSINE_SHARE),
            outputs.orDefault(GateField.IDENTICAL),
            outputs.orDefault(GateField.IDENTICAL_SHARE)),
        load(load),
        new GatePolicy.Strata(
            strata.orDefault(GateField.STRATUM_PAIRS),
            strata.orDefault(GateField.FALSE_DISCOVERIES)),
        coverage.orDefault(GateField.COVERAGE_ANSWERS),
        scores(whole.get(SCORES)));
  }

  private GatePolicy.Load load(Part part) {
    Duration block = part.orDefault(GateField.BLOCK);
    Duration warmUp = part.orDefault(GateField.WARM_UP);
    if (warmUp.compareTo(block) >= 0) {
      part.problem(GateField.WARM_UP, "shorter than the block, " + GateField.BLOCK.text(block));
    }
    Duration slo = part.value(GateField.SLO);
    return new GatePolicy.Load(
        part.orDefault(GateField.P99_MARGIN),
        part.orDefault(GateField.LOADS),
        part.orDefault(GateField.LEAST_REQUESTS),
        part.orDefault(GateField.BLOCKS),
        seconds(block),
        seconds(warmUp),
        slo == null ? null : seconds(slo));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private SortedMap<String, ScoreRule> scores(@Nullable YamlNode node) {
    SortedMap<String, ScoreRule> rules = new TreeMap<>();
    Map<String, YamlNode> members = members(node, SCORES);
    if (members.size() > MOST_SCORES) {
      problems.add("1: scores: must be at most " + MOST_SCORES + ", found " + members.size());
    }
    members.forEach(
        (name, value) -> {
          Part part = new Part("scores.NAME", "scores." + shown(name), value);
          part.requireKnown(List.of());
          rules.put(name, rule(part, GatePolicy.standard(name)));
        });
    return rules;
  }

  private ScoreRule rule(Part part, ScoreRule standard) {
    GateField.Kind kind = part.value(GateField.SCORE_KIND);
    boolean ratio = kind == null ? standard.ratio() : kind == GateField.Kind.RATIO;
    ScoreRule.Worse worse = part.value(GateField.WORSE);
    Double margin = part.value(GateField.MARGIN);
    Double stratumMargin = part.value(GateField.STRATUM_MARGIN);
    boolean inSd = part.has(GateField.MARGIN_SD);
    boolean stratumInSd = part.has(GateField.STRATUM_MARGIN_SD);
    return new ScoreRule(
        ratio,
        worse != null ? worse : ratio ? ScoreRule.Worse.DOWN : ScoreRule.Worse.BOTH,
        margin != null ? margin : ratio && !inSd ? Double.valueOf(0.005) : null,
        part.orDefault(GateField.MARGIN_SD),
        stratumMargin != null ? stratumMargin : ratio && !stratumInSd ? Double.valueOf(0.01) : null,
        part.orDefault(GateField.STRATUM_MARGIN_SD),
        part.value(GateField.BAR));
  }

  private Part part(@Nullable YamlNode node, String path, List<String> parts) {
    Part part = new Part(path, path, node);
    part.requireKnown(parts);
    return part;
  }

  private Map<String, YamlNode> members(@Nullable YamlNode node, String path) {
    if (node instanceof YamlNode.Members map) {
      return map.members();
    }
    if (node != null && !(node instanceof YamlNode.Empty)) {
      problems.add(
          node.line()
              + ": "
              + (path.isEmpty() ? "the policy" : path)
              + ": must be a map (key: value)");
    }
    return Map.of();
  }

  private static String shown(String text) {
    String line = text.strip().replaceAll("\\p{Cntrl}", "?");
    return line.length() > LONGEST_SHOWN ? line.substring(0, LONGEST_SHOWN) + "..." : line;
  }

  /** A map of fields in the text. */
  private final class Part {
    private final String kind;
    private final String path;
    private final int line;
    private final Map<String, YamlNode> members;

    Part(String kind, String path, @Nullable YamlNode node) {
      this.kind = kind;
      this.path = path;
      this.line = node == null ? 1 : node.line();
      this.members = GatePolicyReader.this.members(node, path);
    }

    void requireKnown(List<String> parts) {
      List<String> known = new ArrayList<>(parts);
      GateField.all().stream()
          .filter(f -> f.part().equals(kind))
          .map(GateField::key)
          .forEach(known::add);
      members.forEach(
          (key, node) -> {
            if (!known.contains(key)) {
              String hint =
                  NearestKey.of(key, known)
                      .map(best -> "; did you mean " + best + "?")
                      .orElse("; must be one of " + String.join(", ", known));
              problems.add(node.line() + ": " + join(shown(key)) + ": unknown field" + hint);
            }
          });
    }

    @Nullable YamlNode get(String key) {
      return members.get(key);
    }

    boolean has(GateField<?> field) {
      return members.containsKey(field.key());
    }

    <T> T orDefault(GateField<T> field) {
      T value = value(field);
      return value == null ? field.defaultValue() : value;
    }

    /** The value of a field, null when it is absent or wrong. */
    <T> @Nullable T value(GateField<T> field) {
      YamlNode node = members.get(field.key());
      if (node == null) {
        return null;
      }
      if (node instanceof YamlNode.Scalar scalar) {
        try {
          return field.type().read(scalar.text());
        } catch (IllegalArgumentException | ArithmeticException e) {
          problem(field, field.type().allowed());
          return null;
        }
      }
      problems.add(node.line() + ": " + join(field.key()) + ": must be " + field.type().allowed());
      return null;
    }

    void problem(GateField<?> field, String allowed) {
      YamlNode node = members.get(field.key());
      String text = node instanceof YamlNode.Scalar scalar ? "=" + shown(scalar.text()) : "";
      problems.add(
          Objects.requireNonNullElse(node, new YamlNode.Empty(line)).line()
              + ": "
              + join(field.key())
              + text
              + ": must be "
              + allowed);
    }

    private String join(String key) {
      return path.isEmpty() ? key : path + "." + key;
    }
  }
}
