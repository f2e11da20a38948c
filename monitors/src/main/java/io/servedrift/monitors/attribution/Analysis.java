package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one attribution, before any verdict: exact split, mechanisms, localisation, clean
 * path, shares. Immutable once built.
 */
final class Analysis {
  private static final Cause[] BY_AXIS = {
    Cause.LOAD, Cause.TRAFFIC_MIX, Cause.CACHE, Cause.BATCHING, Cause.SCHEDULING
  };
  private static final double RATE_PRIOR_SD = .03;
  private static final double BURST_FACTOR = 1.5;

  /** Least part of a shift charged to all requests for it to matter which of them moved. */
  private static final double LEAST_BY_ALL = .2;

  /** Times as probable as that all requests moved that one class is to be looked at alone. */
  private static final double CLEARLY_LIKELIER = 2;

  private static final int FEWEST_BLOCKS = 3;
  private static final double Z95 = 1.959963984540054;

  private final AttributionInput input;
  private final KnownBatches batches;
  private final ReferenceMeans means;
  private final CompositionSplit composition;
  private final Attribution.Split split;
  private final Localisation localisation;
  private final CleanPath cleanPath;
  private final Untouched untouched;
  private final CleanPath withRoom;
  private final boolean byBatch;
  private final GrownBatches grown;
  private final @Nullable NarrowMove narrow;
  private final double sign;
  private final List<CauseShare> shares;

  Analysis(AttributionInput input, VerdictRules rules) {
    this.input = input;
    Measure measure = input.measure();
    Grid grid = input.reference().grid();
    batches = followsBatch() ? KnownBatches.all(grid) : KnownBatches.of(input.reference());
    means = ReferenceMeans.of(input.reference(), measure.rate()).at(batches);
    ReferenceFactors factors = new ReferenceFactors(grid, input.reference().counts());
    composition = new CompositionSplit(grid, factors, means);
    double[] windowCounts = input.window().counts();
    double[] mechanisms = composition.of(windowCounts);
    double[] paths = new LoadPaths(grid, factors, means).of(windowCounts);
    double common = commonVariance();
    split = split(mechanisms, paths, common);
    ResidualCells like =
        ResidualCells.of(input.reference(), input.window(), means, measure, input.basis(), common);
    narrow = NarrowMove.of(input, like, preempted(rules), split.within());
    grown = GrownBatches.of(input.reference(), like, split.within());
    double left = 1 - narrowPart();
    double priorSd =
        measure
            .effectPriorSd()
            .orElse(measure.rate() ? RATE_PRIOR_SD : .5 * StrictMath.sqrt(means.variance()));
    Evidence evidence =
        Evidence.of(
            left < 1 ? like.scaled(left) : like, input.window().axes(), measure.unevenness() > 0);
    localisation = new Localisation(evidence, priorSd, input.eventLogBayesFactors());
    cleanPath = CleanPath.of(input.window(), means, common);
    untouched = untouched(common, like);
    withRoom = CleanPath.of(input.window(), means, common, 0, largestBatch(input.window()) - 1);
    byBatch = byBatch(common);
    sign = direction();
    SeededDraws draws =
        new SeededDraws(31 * input.window().fingerprint() + input.reference().fingerprint());
    shares = shares(rules, mechanisms, paths, draws);
  }

  /**
   * The clean path of whatever seems to have moved without a serving cause: of one class only where
   * that is clearly likelier than all, or the best of many classes would be picked by chance.
   *
   * @param like residuals of which nothing was taken off, as the clean path has them
   */
  private Untouched untouched(double common, ResidualCells like) {
    Evidence evidence = localisation.evidence();
    int leading = localisation.leading(Cause.UNEXPLAINED);
    Feature feature = evidence.feature(leading);
    int ofClass = input.window().axes().classes().indexOf(feature.level());
    boolean clearly =
        localisation.inclusion(leading) >= CLEARLY_LIKELIER * localisation.inclusion(Evidence.ALL);
    return feature.everything() || ofClass < 0 || !clearly
        ? new Untouched(cleanPath, split.within(), false)
        : new Untouched(
            CleanPath.ofClass(input.window(), means, common, ofClass),
            like.estimate(evidence.rows(leading)).mean(),
            true);
  }

  /** Smallest size in the largest bucket of batches that a window has. */
  private static int largestBatch(CellCube window) {
    Grid grid = window.grid();
    double[] counts = grid.marginal(window.counts(), Grid.mask(Grid.BATCH));
    int largest = 0;
    for (int level = 0; level < counts.length; level++) {
      int batch = CellAxes.smallestBatch(window.axes().batches().get(level));
      largest = counts[level] > 0 ? Math.max(largest, batch) : largest;
    }
    return largest;
  }

  /** Whether larger batches than ever leave open what to expect of their requests. */
  private boolean followsBatch() {
    return input.measure().load() == Measure.LoadRule.AS_LOAD
        || input.basis() == AttributionInput.Basis.PREDECESSOR;
  }

  /**
   * Whether what seems to have moved all requests moved batched ones only. One that is told from
   * the rest by its class is no batch.
   */
  private boolean byBatch(double common) {
    double byAll = localisation.contributions().getOrDefault(Cause.UNEXPLAINED, 0.0);
    int leading = localisation.leading(Cause.UNEXPLAINED);
    return byAll / split.within() >= LEAST_BY_ALL
        && localisation.evidence().feature(leading).everything()
        && BatchContrast.of(input.window(), means, common).onlyBatchedMoved(split.within());
  }

  /** A latency at loads never seen has preemptions that the load brought: those say nothing. */
  private NewLevel preempted(VerdictRules rules) {
    boolean beyond =
        input.measure().load() == Measure.LoadRule.AS_LOAD
            && split.unseenLoad() > rules.unsupported();
    return beyond
        ? NewLevel.NONE
        : NewLevel.preempted(input.reference(), input.window(), means, input.measure().rate());
  }

  /** Share of the shift of like requests that the narrow covariate accounts for. */
  private double narrowPart() {
    return narrow == null ? 0 : narrow.part();
  }

  private Attribution.Split split(double[] mechanisms, double[] paths, double common) {
    CellCube window = input.window();
    double total = window.mean() - input.reference().mean();
    double within = window.mean() - means.expected(window.counts()) / window.requests();
    double error = StrictMath.sqrt(meanVariance(window) + meanVariance(input.reference()));
    Map<Cause, Double> byMechanism = new EnumMap<>(Cause.class);
    Map<Cause, Double> mediated = new EnumMap<>(Cause.class);
    double direct = mechanisms[Grid.LOAD];
    for (int axis = 0; axis < Grid.AXES; axis++) {
      byMechanism.put(BY_AXIS[axis], mechanisms[axis]);
      if (axis != Grid.LOAD) {
        mediated.put(BY_AXIS[axis], paths[axis]);
        direct -= paths[axis];
      }
    }
    return new Attribution.Split(
        total,
        new Interval(total - Z95 * error, total + Z95 * error),
        total - within,
        within,
        byMechanism,
        direct,
        mediated,
        unsupported(Grid.ALL),
        unsupported(Grid.WITHOUT_LOAD),
        unsupported(Grid.mask(Grid.LOAD)),
        StrictMath.sqrt(common));
  }

  private static double meanVariance(CellCube cube) {
    double n = cube.requests();
    return Math.max(0, cube.sumOfSquares() / n - cube.mean() * cube.mean()) / n;
  }

  /** Share of the window where the reference has few requests, by combinations of some axes. */
  private double unsupported(int mask) {
    Grid grid = input.window().grid();
    double[] known = grid.marginal(input.reference().counts(), mask);
    double[] counts = grid.marginal(batches.moved(input.window().counts()), mask);
    double supported = 0;
    for (int i = 0; i < counts.length; i++) {
      supported += known[i] >= VerdictRules.KNOWN_CELL ? counts[i] : 0;
    }
    return 1 - supported / input.window().requests();
  }

  /**
   * tau_w^2: variance of the mean residual of window-long blocks of the reference less sampling,
   * times 1.5 for bursts rarer than a reference is long. With fewer than three blocks at least a
   * move of a tenth of a standard deviation counts as ordinary.
   */
  private double commonVariance() {
    double squares = 0;
    double requests = 0;
    int blocks = 0;
    for (CellCube block : input.referenceBlocks()) {
      double n = block.requests();
      if (n > 0) {
        double residual = block.mean() - means.expected(block.counts()) / n;
        squares += residual * residual;
        requests += n;
        blocks++;
      }
    }
    double least = blocks < FEWEST_BLOCKS ? .01 * means.variance() : 0;
    double estimated = blocks == 0 ? 0 : squares / blocks - means.variance() / (requests / blocks);
    return Math.max(least, BURST_FACTOR * Math.max(0, estimated));
  }

  private double direction() {
    int direction = input.measure().direction();
    return direction != 0 ? direction : split.total() < 0 ? -1 : 1;
  }

  private List<CauseShare> shares(
      VerdictRules rules, double[] mechanisms, double[] paths, SeededDraws draws) {
    List<double[]> samples = resamples(rules.resamples(), draws);
    double[] center = new double[Grid.AXES];
    for (double[] sample : samples) {
      for (int axis = 0; axis < Grid.AXES; axis++) {
        center[axis] += sample[axis] / samples.size();
      }
    }
    List<Map<Cause, Double>> shifted = new ArrayList<>();
    for (double[] sample : samples) {
      double[] around = new double[Grid.AXES];
      for (int axis = 0; axis < Grid.AXES; axis++) {
        around[axis] = mechanisms[axis] + sample[axis] - center[axis];
      }
      double unsure = narrow == null ? 0 : narrow.sd() * draws.normal();
      shifted.add(exposures(around, paths, unsure));
    }
    CauseDraws.Exposure exposure =
        new CauseDraws.Exposure(exposures(mechanisms, paths, 0), shifted);
    boolean marginal = input.measure().scope() == Measure.Scope.MARGINAL;
    List<Cause> causes =
        CauseDraws.CAUSES.stream()
            .filter(cause -> marginal || !cause.traffic() || narrowly(cause))
            .toList();
    return new CauseDraws(causes, exposure, localisation, byBatch, narrow, byNarrow(0), sign)
        .shares(rules.draws(), draws, input.eventLogBayesFactors());
  }

  private double byNarrow(double unsure) {
    return narrowPart() * split.within() + unsure;
  }

  /** Whether traffic of a kind that cells do not hold apart competes in an adjusted series too. */
  private boolean narrowly(Cause cause) {
    return narrow != null && narrow.cause() == cause;
  }

  /** Composition part by cause, load that acts through serving named by the rule of the measure. */
  private Map<Cause, Double> exposures(double[] mechanisms, double[] paths, double unsure) {
    Map<Cause, Double> result = new EnumMap<>(Cause.class);
    boolean rename =
        input.measure().load() == Measure.LoadRule.AS_MEDIATOR
            && input.measure().scope() == Measure.Scope.MARGINAL;
    double load = mechanisms[Grid.LOAD];
    for (int axis = Grid.CLASS; axis < Grid.AXES; axis++) {
      boolean renamed = rename && axis != Grid.CLASS;
      load -= renamed ? paths[axis] : 0;
      result.put(BY_AXIS[axis], mechanisms[axis] + (renamed ? paths[axis] : 0));
    }
    result.put(Cause.LOAD, load);
    if (input.measure().scope() == Measure.Scope.ADJUSTED) {
      result.keySet().removeIf(Cause::traffic);
    }
    if (narrow != null && narrow.mechanism() == Mechanism.EXPOSURE) {
      result.merge(narrow.cause(), byNarrow(unsure), Double::sum);
    }
    return result;
  }

  private List<double[]> resamples(int count, SeededDraws draws) {
    List<double[]> blocks = new ArrayList<>();
    for (CellCube block : input.windowBlocks()) {
      blocks.add(block.counts());
    }
    List<double[]> result = new ArrayList<>();
    for (int i = 0; blocks.size() > 1 && i < count; i++) {
      double[] counts = new double[input.window().grid().cells()];
      for (int k = 0; k < blocks.size(); k++) {
        double[] block = blocks.get(draws.below(blocks.size()));
        for (int cell = 0; cell < counts.length; cell++) {
          counts[cell] += block[cell];
        }
      }
      result.add(composition.of(counts));
    }
    return result;
  }

  AttributionInput input() {
    return input;
  }

  Attribution.Split split() {
    return split;
  }

  Localisation localisation() {
    return localisation;
  }

  CleanPath cleanPath() {
    return cleanPath;
  }

  /** The same, of the class that moved where it was one. */
  Untouched untouched() {
    return untouched;
  }

  /** Requests that serving did not touch in batches below the largest of the window. */
  CleanPath withRoom() {
    return withRoom;
  }

  /** The difference that is explained: all of it, or without what other traffic does. */
  double explained() {
    Map<Cause, Double> mechanisms = split.mechanisms();
    double traffic = 0;
    for (Cause cause : List.of(Cause.LOAD, Cause.TRAFFIC_MIX)) {
      traffic += mechanisms.getOrDefault(cause, 0.0);
    }
    return input.measure().scope() == Measure.Scope.MARGINAL
        ? split.total()
        : split.total() - traffic;
  }

  /** The narrow covariate that accounts for the shift of like requests; null for none. */
  @Nullable NarrowMove narrow() {
    return narrow;
  }

  /** Whether a narrow covariate accounts for the shift of like requests as this cause. */
  boolean accountedFor(Cause cause) {
    return narrow != null && narrow.cause() == cause;
  }

  /** How much of the shift lies in batches beyond all that the reference knows. */
  GrownBatches grown() {
    return grown;
  }

  /** Direction of the alarm, -1 or 1. */
  double sign() {
    return sign;
  }

  /** Variance of one request around what its cell expects. */
  double variance() {
    return means.variance();
  }

  List<CauseShare> shares() {
    return shares;
  }

  CauseShare share(Cause cause) {
    return shares.stream().filter(s -> s.cause() == cause).findFirst().orElseThrow();
  }
}
