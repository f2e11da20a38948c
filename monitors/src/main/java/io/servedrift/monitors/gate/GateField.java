package io.servedrift.monitors.gate;

import io.servedrift.monitors.policy.ValueType;
import io.servedrift.monitors.policy.YamlField;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One field of a gate policy.
 *
 * @param path where it stands; {@code NAME} is any score
 * @param type how it is read
 * @param shownDefault what holds without it; empty: nothing
 * @param meaning one or two sentences for the documentation
 */
record GateField<T>(String path, ValueType<T> type, String shownDefault, String meaning)
    implements YamlField<T> {
  private static final ValueType<Double> RELATIVE = ValueType.number(0.001, 10);
  private static final ValueType<Double> SHARE = ValueType.number(0.5, 0.99999);

  static final GateField<Double> ALPHA =
      new GateField<>(
          "alpha",
          ValueType.number(0.0001, 0.2),
          "0.05",
          "Probability that one test passes although the truth lies at its margin.");
  static final GateField<Long> MINIMUM_PAIRS =
      new GateField<>(
          "minimum_pairs",
          ValueType.whole(5, 1_000_000),
          "100",
          "Prompts answered in both conditions; with fewer a comparison is `insufficient`.");
  static final GateField<Double> MAX_ERROR_SHARE =
      new GateField<>(
          "max_error_share",
          ValueType.number(0.0001, 0.5),
          "0.01",
          "Errors and timeouts an endpoint may have. Clearly beyond: the gate fails. A gate passes"
              + " only when the share is shown to be below: 299 good answers for 1 %.");
  static final GateField<Double> DISTANCE_RATIO =
      new GateField<>(
          "outputs.distance_ratio",
          ValueType.number(1.01, 100),
          "1.25",
          "How much farther apart than the noise floor outputs may be.");
  static final GateField<Double> COSINE =
      new GateField<>(
          "outputs.cosine",
          ValueType.number(0.1, 0.9999),
          "0.98",
          "Cosine of embeddings from which two images count as alike.");
  static final GateField<Double> COSINE_SHARE =
      new GateField<>("outputs.cosine_share", SHARE, "0.95", "Share of pairs that must be alike.");
  static final GateField<GatePolicy.Identical> IDENTICAL =
      new GateField<>(
          "outputs.identical",
          ValueType.word(GatePolicy.Identical.class),
          "reported",
          "Whether it was promised that old and new give identical outputs at batch 1.");
  static final GateField<Double> IDENTICAL_SHARE =
      new GateField<>(
          "outputs.identical_share",
          SHARE,
          "0.99",
          "Share of pairs that must be identical where that, or determinism, was promised.");
  static final GateField<Double> P99_MARGIN =
      new GateField<>(
          "load.p99_margin", RELATIVE, "0.1", "By how much the p99 may be longer; 0.1 is 10 %.");
  static final GateField<List<Double>> LOADS =
      new GateField<>(
          "load.levels",
          levels(),
          "0.8 1 1.2",
          "Arrival rates of the open loop, as multiples of the peak rate. Each is judged.");
  static final GateField<Long> LEAST_REQUESTS =
      new GateField<>(
          "load.least_requests",
          ValueType.whole(368, 100_000_000),
          "1000",
          "Requests per side and level. Below 368 the p99 has no interval.");
  static final GateField<Long> BLOCKS =
      new GateField<>(
          "load.blocks",
          ValueType.whole(2, 1000),
          "8",
          "Blocks per side and level; old and new take turns. How much blocks differ says how much"
              + " the requests count for.");
  static final GateField<Duration> BLOCK =
      new GateField<>("load.block", ValueType.duration("1s", "1d"), "10m", "Length of a block.");
  static final GateField<Duration> WARM_UP =
      new GateField<>(
          "load.warm_up",
          ValueType.duration("0s", "1d"),
          "2m",
          "First part of every block, which is dropped; shorter than the block.");
  static final GateField<Duration> SLO =
      new GateField<>(
          "load.slo",
          ValueType.duration("1ms", "1d"),
          "",
          "Latency that 99 % of the new side's requests must keep.");
  static final GateField<Long> STRATUM_PAIRS =
      new GateField<>(
          "strata.least_pairs",
          ValueType.whole(5, 1_000_000),
          "30",
          "Prompt classes and batch sizes with fewer pairs are not looked at by themselves.");
  static final GateField<Double> FALSE_DISCOVERIES =
      new GateField<>(
          "strata.false_discoveries",
          ValueType.number(0.001, 0.5),
          "0.1",
          "Share of wrong ones among the strata that are found beyond their margin (e-BH).");
  static final GateField<Long> COVERAGE_ANSWERS =
      new GateField<>(
          "coverage.least_answers",
          ValueType.whole(1, 1_000_000),
          "10",
          "Answers from which a cell of live traffic counts as exercised.");
  static final GateField<Kind> SCORE_KIND =
      new GateField<>(
          "scores.NAME.kind",
          ValueType.word(Kind.class),
          "by name",
          "`ratio` for 0 or 1 per answer: `json_valid`, `answer_correct` and what is named so.");
  static final GateField<ScoreRule.Worse> WORSE =
      new GateField<>(
          "scores.NAME.worse",
          ValueType.word(ScoreRule.Worse.class),
          "both; of a ratio down",
          "`both` tests equivalence: a change for the better is a change. Else only a loss"
              + " counts.");
  static final GateField<Double> MARGIN =
      new GateField<>(
          "scores.NAME.margin",
          ValueType.positive(1_000_000),
          "of a ratio 0.005",
          "Largest difference of the means that does not matter, in the unit of the score.");
  static final GateField<Double> MARGIN_SD =
      new GateField<>(
          "scores.NAME.margin_sd",
          ValueType.number(0.001, 10),
          "0.1",
          "The same in standard deviations of the score in old production; `margin` wins.");
  static final GateField<Double> STRATUM_MARGIN =
      new GateField<>(
          "scores.NAME.stratum_margin",
          ValueType.positive(1_000_000),
          "of a ratio 0.01",
          "The same in one stratum.");
  static final GateField<Double> STRATUM_MARGIN_SD =
      new GateField<>(
          "scores.NAME.stratum_margin_sd",
          ValueType.number(0.001, 10),
          "0.2",
          "The same in standard deviations; `stratum_margin` wins.");
  static final GateField<Double> BAR =
      new GateField<>(
          "scores.NAME.quality_bar",
          ValueType.number(-1_000_000, 1_000_000),
          "",
          "Mean the score must reach to be good. Read only after the gate passed.");

  /** What the values of a score are. */
  enum Kind {
    SCORE,
    RATIO
  }

  /** In the order of the documentation; those of scores last. */
  static List<GateField<?>> all() {
    return List.of(
        ALPHA,
        MINIMUM_PAIRS,
        MAX_ERROR_SHARE,
        DISTANCE_RATIO,
        COSINE,
        COSINE_SHARE,
        IDENTICAL,
        IDENTICAL_SHARE,
        P99_MARGIN,
        LOADS,
        LEAST_REQUESTS,
        BLOCKS,
        BLOCK,
        WARM_UP,
        SLO,
        STRATUM_PAIRS,
        FALSE_DISCOVERIES,
        COVERAGE_ANSWERS,
        SCORE_KIND,
        WORSE,
        MARGIN,
        MARGIN_SD,
        STRATUM_MARGIN,
        STRATUM_MARGIN_SD,
        BAR);
  }

  /** The last member of the path. */
  @Override
  public String key() {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  /** The part it stands in: the path without the key, empty for the whole. */
  String part() {
    return path.contains(".") ? path.substring(0, path.lastIndexOf('.')) : "";
  }

  @Override
  public T defaultValue() {
    return type.read(shownDefault);
  }

  /** The text of a value; of none an empty one. */
  String text(@Nullable T value) {
    return value == null ? "" : type.write(value);
  }

  private static ValueType<List<Double>> levels() {
    ValueType<Double> level = ValueType.number(0.05, 10);
    return new ValueType<>(
        "1 to 10 numbers from 0.05 to 10 in one line, e.g. 0.8 1 1.2",
        text -> {
          List<Double> values =
              Arrays.stream(text.split("[\\s,]+")).map(level::read).distinct().sorted().toList();
          if (values.isEmpty() || values.size() > 10) {
            throw new IllegalArgumentException("too many");
          }
          return values;
        },
        (Function<List<Double>, String>)
            values -> values.stream().map(level::write).collect(Collectors.joining(" ")));
  }
}
