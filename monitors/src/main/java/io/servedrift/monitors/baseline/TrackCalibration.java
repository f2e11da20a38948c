package io.servedrift.monitors.baseline;

import io.servedrift.monitors.stats.GaussianFactor;
import io.servedrift.monitors.stats.OeCountFactor;
import io.servedrift.monitors.stats.ShareFactor;
import java.util.Arrays;
import java.util.List;

/**
 * How a track behaves while nothing shifts, and the log e-factors that follow. Immutable and
 * thread-safe.
 *
 * @param track what it is about
 * @param ratio whether counts are failures with an absolute floor
 * @param valueDeviation means: standard deviation of single values, the unit of relative floors
 * @param center contrasts: mean difference in the reference, else 0
 * @param paneVariance tau squared: variance of pane means beyond sampling
 * @param inflation kappa (means) or phi (counts): long-run variance over the nominal one, at least
 *     1
 * @param uncertainty what the reference does not know about itself: standard deviations (means), a
 *     factor on what is expected (counts, shares), an additional rate (ratios)
 * @param relativeFloor floor in value deviations (means) or as a relative increase
 * @param absoluteFloor floor in the unit of the metric (means) or of the rate (ratios)
 * @param referenceUpdates observations in the reference
 * @param referencePrecision means: sum of 1 / variance of the observations; counts: expected count;
 *     shares: expected count of the subject
 * @param otherExpected shares: expected count of the other side
 * @param referenceMinutes length of the reference
 * @param replayFactors for each component the further inflation after replaying the reference
 */
public record TrackCalibration(
    Track track,
    boolean ratio,
    double valueDeviation,
    double center,
    double paneVariance,
    double inflation,
    double uncertainty,
    double relativeFloor,
    double absoluteFloor,
    int referenceUpdates,
    double referencePrecision,
    double otherExpected,
    double referenceMinutes,
    List<Double> replayFactors) {
  private static final double[] GAUSSIAN_BETS = {.125, .25, .5, 1, 2};
  private static final double[] COUNT_BETS = {1.25, 1.5, 2, 3, 5, 10};

  /** Copies the list. */
  public TrackCalibration {
    replayFactors = List.copyOf(replayFactors);
  }

  /** Number of components: bets times signs. */
  public int components() {
    return components(track);
  }

  static int components(Track track) {
    return track.kind().gaussian() ? 2 * GAUSSIAN_BETS.length : COUNT_BETS.length;
  }

  /** +1 when a component watches for more, -1 for less. */
  public int sign(int component) {
    return track.kind().gaussian() && component >= GAUSSIAN_BETS.length ? -1 : 1;
  }

  /** Size of the bet: standard deviations (means) or the factor on the count. */
  public double bet(int component) {
    return track.kind().gaussian()
        ? GAUSSIAN_BETS[component % GAUSSIAN_BETS.length]
        : COUNT_BETS[component];
  }

  /** Variance of an observation of a mean or contrast. */
  public double variance(Observation seen) {
    return seen.size() + paneVariance;
  }

  /** Standardised residual of a mean or contrast. */
  public double standardised(Observation seen) {
    return (seen.observed() - center) / Math.sqrt(variance(seen));
  }

  /** Floor of a mean or contrast in the unit of the metric. */
  public double floor() {
    return Math.max(relativeFloor * valueDeviation, absoluteFloor);
  }

  /** Count that a shift has to exceed to matter: the highest expectation still called normal. */
  public double normalCount(double expected, double n) {
    return ratio
        ? Math.max(expected * (1 + relativeFloor), expected + absoluteFloor * n) + uncertainty * n
        : expected * (1 + relativeFloor) * uncertainty;
  }

  /** Share that is still called normal: odds raised by floor and uncertainty. */
  public double normalShare(double share) {
    double odds =
        share / (1 - Math.min(share, 1 - 1e-9)) * (1 + relativeFloor) * (ratio ? 1 : uncertainty);
    return odds / (1 + odds);
  }

  /** Log e-factor of a component. */
  public double logFactor(Observation seen, int component) {
    double factor = replayFactors.get(component);
    return switch (track.kind()) {
      case MEAN, CONTRAST ->
          GaussianFactor.logFactor(
              sign(component) * standardised(seen),
              floor() / Math.sqrt(variance(seen)),
              uncertainty,
              bet(component),
              inflation * factor);
      case COUNT ->
          OeCountFactor.more(
              Math.round(seen.observed()),
              normalCount(seen.expected(), seen.size()),
              bet(component),
              0,
              1,
              inflation * factor);
      case SHARE ->
          ShareFactor.logFactor(
              Math.round(seen.observed()),
              Math.round(seen.size() - seen.observed()),
              normalShare(seen.expected()),
              bet(component),
              inflation * factor);
    };
  }

  TrackCalibration withReplayFactors(double[] factors) {
    return new TrackCalibration(
        track,
        ratio,
        valueDeviation,
        center,
        paneVariance,
        inflation,
        uncertainty,
        relativeFloor,
        absoluteFloor,
        referenceUpdates,
        referencePrecision,
        otherExpected,
        referenceMinutes,
        Content.listOf(factors));
  }

  static List<Double> noReplay(Track track) {
    double[] ones = new double[components(track)];
    Arrays.fill(ones, 1);
    return Content.listOf(ones);
  }

  void write(Content.Writer out) {
    out.count(track.kind().code());
    out.count(track.stratum().index());
    out.count(track.contrast() == null ? -1 : track.contrast().index());
    out.count(track.level());
    Slice slice = track.slice();
    out.count(slice == null ? 0 : 1);
    if (slice != null) {
      slice.write(out);
    }
    out.count(ratio ? 1 : 0);
    out.doubles(
        new double[] {
          valueDeviation,
          center,
          paneVariance,
          inflation,
          uncertainty,
          relativeFloor,
          absoluteFloor,
          referencePrecision,
          otherExpected,
          referenceMinutes
        });
    out.count(referenceUpdates);
    out.doubles(replayFactors.stream().mapToDouble(Double::doubleValue).toArray());
  }

  static TrackCalibration read(Content.Reader in) {
    Track.Kind kind = Track.Kind.of(in.count());
    Stratum stratum = Stratum.at(in.count());
    int contrast = in.count();
    Track track =
        new Track(
            kind,
            stratum,
            contrast < 0 ? null : Contrast.at(contrast),
            in.count(),
            in.count() == 1 ? Slice.read(in) : null);
    boolean ratio = in.count() == 1;
    double[] v = in.doubles();
    int updates = in.count();
    return new TrackCalibration(
        track,
        ratio,
        v[0],
        v[1],
        v[2],
        v[3],
        v[4],
        v[5],
        v[6],
        updates,
        v[7],
        v[8],
        v[9],
        Content.listOf(in.doubles()));
  }
}
