package io.servedrift.monitors.gate;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.policy.MetricKind;
import io.servedrift.monitors.policy.PolicyException;
import io.servedrift.monitors.policy.PolicyText;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the gate judges by. Immutable. Two policies that say the same have the same {@link #hash}.
 *
 * @param alpha error of each test on one side
 * @param minimumPairs prompts without which no comparison of answers is made
 * @param maxErrorShare errors and timeouts an endpoint may have
 * @param outputs how outputs are compared
 * @param load how latencies under load are compared
 * @param strata how parts of the answers are looked at
 * @param coverageAnswers answers from which a cell of traffic counts as exercised
 * @param scores what single scores have of their own
 */
public record GatePolicy(
    double alpha,
    long minimumPairs,
    double maxErrorShare,
    Outputs outputs,
    Load load,
    Strata strata,
    long coverageAnswers,
    SortedMap<String, ScoreRule> scores) {

  /** Largest text of a policy, in characters. */
  public static final int LONGEST = 1 << 20;

  public GatePolicy {
    SortedMap<String, ScoreRule> different = new TreeMap<>(scores);
    different.entrySet().removeIf(e -> e.getValue().equals(standard(e.getKey())));
    scores = Collections.unmodifiableSortedMap(different);
  }

  /** Whether outputs of old and new must be identical at batch 1. */
  public enum Identical {
    /** They are counted and shown. */
    REPORTED,
    /** It was promised, and is judged. */
    PROMISED
  }

  /**
   * How outputs are compared.
   *
   * @param distanceRatio how much farther apart than the noise floor two outputs may be
   * @param cosine what the embeddings of two outputs have at least
   * @param cosineShare share of pairs that must have it
   * @param identical whether equality across sides was promised
   * @param identicalShare share of pairs that must be identical, where it was promised
   */
  public record Outputs(
      double distanceRatio,
      double cosine,
      double cosineShare,
      Identical identical,
      double identicalShare) {}

  /**
   * How latencies under load are compared.
   *
   * @param margin by which the p99 may be longer, relative
   * @param loads levels to run, as multiples of the peak rate
   * @param leastRequests per side and level
   * @param blocks least number of blocks per side and level
   * @param blockSeconds length of a block
   * @param warmUpSeconds first part of a block, dropped
   * @param sloSeconds latency that 99 % of requests must keep; null: there is none
   */
  public record Load(
      double margin,
      List<Double> loads,
      long leastRequests,
      long blocks,
      double blockSeconds,
      double warmUpSeconds,
      @Nullable Double sloSeconds) {
    public Load {
      loads = loads.stream().distinct().sorted().toList();
    }
  }

  /**
   * How parts of the answers are looked at.
   *
   * @param leastPairs smaller parts are not looked at
   * @param falseDiscoveries share of wrong ones among the parts that are named
   */
  public record Strata(long leastPairs, double falseDiscoveries) {}

  /** What holds without a file. */
  public static GatePolicy defaults() {
    return parse("", "defaults");
  }

  /**
   * Reads a policy; what it does not say holds as in {@link #defaults}.
   *
   * @param yaml the text, at most {@link #LONGEST} characters
   * @param origin where the text comes from, for messages
   * @throws PolicyException with every problem found: line, path, value, what is allowed
   */
  public static GatePolicy parse(String yaml, String origin) {
    if (yaml.length() > LONGEST) {
      throw new PolicyException(
          List.of(origin + ":1: the policy must have at most " + LONGEST + " characters"));
    }
    return new GatePolicyReader(new PolicyText(yaml, origin)).read();
  }

  /** How a score is judged: by its own rule, else by the defaults of its kind. */
  public ScoreRule score(String name) {
    ScoreRule own = scores.get(name);
    return own == null ? standard(name) : own;
  }

  /** Confidence level of the two-sided interval that belongs to one-sided tests at alpha. */
  public double level() {
    return 1 - 2 * alpha;
  }

  /** Names what the policy says: the first 16 hex digits of SHA-256 over its canonical form. */
  public String hash() {
    return GatePolicyWriter.hash(this);
  }

  /** Every field with its value, in one order. */
  public Map<String, String> fields() {
    return GatePolicyWriter.fields(this);
  }

  /** Every field with default, what is allowed and meaning, as Markdown. */
  public static String table() {
    return GatePolicyWriter.table();
  }

  static ScoreRule standard(String name) {
    boolean ratio =
        name.equals("answer_correct")
            || MetricKind.of(name, new MetricLayouts()) == MetricKind.RATIO;
    return ratio
        ? new ScoreRule(true, ScoreRule.Worse.DOWN, 0.005, 0.1, 0.01, 0.2, null)
        : new ScoreRule(false, ScoreRule.Worse.BOTH, null, 0.1, null, 0.2, null);
  }
}
