package io.servedrift.monitors.baseline;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns panes into the observations of one track: observed against expected, gathered over as many
 * panes as a mean needs. Not thread-safe.
 */
public final class TrackFeed {
  /** A mean is looked at from this many values on; a contrast from half of it on each side. */
  static final int LEAST_VALUES = 20;

  private final Track track;
  private final int trafficClass;
  private final ReferenceTable table;
  private final boolean needsSupport;
  private double subjectN;
  private double subjectResidual;
  private double otherN;
  private double otherResidual;

  TrackFeed(Track track, ReferenceTable table, boolean needsSupport) {
    this.track = track;
    trafficClass = track.trafficClass();
    this.table = table;
    this.needsSupport = needsSupport;
  }

  /**
   * Takes the next pane.
   *
   * @return what the track saw, or null when it is not complete yet or the pane says nothing
   */
  public @Nullable Observation next(PaneCounts pane) {
    int bucket = table.cuts().bucketOf(pane.load());
    if (bucket == LoadCuts.OUT_OF_SUPPORT) {
      if (needsSupport) {
        return null;
      }
      bucket = table.cuts().nearest(pane.load());
    }
    return switch (track.kind()) {
      case MEAN -> mean(pane, bucket);
      case CONTRAST -> track.ofNode() ? node(pane) : contrast(pane, bucket);
      case COUNT -> count(pane, bucket);
      case SHARE -> share(pane, bucket);
    };
  }

  private @Nullable Observation mean(PaneCounts pane, int bucket) {
    Stratum stratum = track.stratum();
    double n = pane.n(stratum, trafficClass);
    subjectN += n;
    double residual = residual(pane, stratum, bucket);
    subjectResidual += towardZero(residual, n * table.loadRatio(pane, bucket));
    if (subjectN < LEAST_VALUES) {
      return null;
    }
    Observation seen = new Observation(subjectResidual / subjectN, 0, variance(stratum) / subjectN);
    close();
    return seen;
  }

  private double residual(PaneCounts pane, Stratum stratum, int bucket) {
    return pane.sum(stratum, trafficClass) - table.expectedSum(pane, stratum, trafficClass, bucket);
  }

  private double variance(Stratum stratum) {
    return table.withinVariance(stratum, trafficClass);
  }

  /** A residual less what an unusual load may explain, at most all of it. */
  private static double towardZero(double residual, double explained) {
    if (residual * explained <= 0) {
      return residual;
    }
    return explained > 0 ? Math.max(0, residual - explained) : Math.min(0, residual - explained);
  }

  private @Nullable Observation contrast(PaneCounts pane, int bucket) {
    double[] n = new double[Stratum.count()];
    double[] residual = new double[Stratum.count()];
    for (Stratum stratum : Stratum.all()) {
      n[stratum.index()] = pane.n(stratum, trafficClass);
      residual[stratum.index()] = residual(pane, stratum, bucket);
    }
    Contrast between = contrast();
    subjectN += n[between.subject().index()];
    subjectResidual += residual[between.subject().index()];
    otherN += between.otherSide(n);
    otherResidual += between.otherSide(residual);
    return difference(variance(between.subject()));
  }

  /** Classes spread over the nodes by chance; what that adds is part of the pane variance. */
  private @Nullable Observation node(PaneCounts pane) {
    int node = Objects.requireNonNull(track.slice()).index();
    subjectN += pane.nodeN(node);
    subjectResidual += pane.nodeSum(node);
    otherN += pane.otherNodesN(node);
    otherResidual += pane.otherNodesSum(node);
    return difference(variance(Stratum.ALL));
  }

  private @Nullable Observation difference(double subjectVariance) {
    if (subjectN < LEAST_VALUES / 2.0 || otherN < LEAST_VALUES / 2.0) {
      return null;
    }
    Observation seen =
        new Observation(
            subjectResidual / subjectN - otherResidual / otherN,
            0,
            subjectVariance / subjectN + variance(Stratum.ALL) / otherN);
    close();
    return seen;
  }

  private @Nullable Observation count(PaneCounts pane, int bucket) {
    Stratum stratum = track.stratum();
    double n = pane.n(stratum, trafficClass);
    return n > 0
        ? new Observation(
            pane.exceedances(track.level(), stratum, trafficClass),
            table.expectedExceedances(track.level(), pane, stratum, trafficClass, bucket)
                * StrictMath.exp(Math.max(0, table.loadRatio(pane, bucket))),
            n)
        : null;
  }

  private Observation share(PaneCounts pane, int bucket) {
    double[] observed = new double[Stratum.count()];
    double[] expected = new double[Stratum.count()];
    for (Stratum stratum : Stratum.all()) {
      observed[stratum.index()] = pane.exceedances(track.level(), stratum);
      expected[stratum.index()] = table.expectedExceedances(track.level(), pane, stratum, bucket);
    }
    Contrast between = contrast();
    double subject = observed[between.subject().index()];
    double subjectExpected = expected[between.subject().index()];
    double bothExpected = subjectExpected + between.otherSide(expected);
    double share = bothExpected > 0 ? subjectExpected / Math.max(bothExpected, 1e-12) : 0.5;
    return new Observation(subject, share, subject + between.otherSide(observed));
  }

  private Contrast contrast() {
    Contrast between = track.contrast();
    if (between == null) {
      throw new IllegalStateException("track " + track + ": has no contrast");
    }
    return between;
  }

  private void close() {
    subjectN = 0;
    subjectResidual = 0;
    otherN = 0;
    otherResidual = 0;
  }

  /** Writes what is gathered so far. */
  public void write(Content.Writer out) {
    out.doubles(new double[] {subjectN, subjectResidual, otherN, otherResidual});
  }

  /** Reads what {@link #write} wrote. */
  public void read(Content.Reader in) {
    double[] open = in.doubles();
    subjectN = open[0];
    subjectResidual = open[1];
    otherN = open[2];
    otherResidual = open[3];
  }
}
