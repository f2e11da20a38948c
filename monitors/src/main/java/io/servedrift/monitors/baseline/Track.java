package io.servedrift.monitors.baseline;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is watched in a family: a statistic in a stratum, or between two.
 *
 * @param stratum the stratum, or the subject of the contrast
 * @param contrast for {@link Kind#CONTRAST} and {@link Kind#SHARE}
 * @param level index of the quantile for counts and shares; -1 for means
 * @param slice the class that it is kept to, or the node that is compared with the others; null for
 *     all traffic
 */
public record Track(
    Kind kind, Stratum stratum, @Nullable Contrast contrast, int level, @Nullable Slice slice) {
  /** What is compared with what is expected. */
  public enum Kind {
    /** Mean of a stratum. */
    MEAN(0),
    /** Difference of means between the two sides of a contrast. */
    CONTRAST(1),
    /** Count of exceedances or failures in a stratum. */
    COUNT(2),
    /** Share of the exceedances or failures that falls to the subject of a contrast. */
    SHARE(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IllegalArgumentException("kind of track " + code + ": must be 0 to 3");
    }

    /** Whether evidence comes in standard deviations (else in counts). */
    public boolean gaussian() {
      return this == MEAN || this == CONTRAST;
    }
  }

  static Track mean(Stratum stratum) {
    return new Track(Kind.MEAN, stratum, null, -1, null);
  }

  static Track contrast(Contrast contrast) {
    return new Track(Kind.CONTRAST, contrast.subject(), contrast, -1, null);
  }

  static Track count(int level, Stratum stratum) {
    return new Track(Kind.COUNT, stratum, null, level, null);
  }

  static Track share(int level, Contrast contrast) {
    return new Track(Kind.SHARE, contrast.subject(), contrast, level, null);
  }

  /** A node against all others. */
  static Track node(Slice node) {
    return new Track(Kind.CONTRAST, Stratum.ALL, null, -1, node);
  }

  /** The same within one part of the traffic. */
  Track in(Slice other) {
    return new Track(kind, stratum, contrast, level, other);
  }

  /** Whether it is about all requests of the series. */
  public boolean overall() {
    return stratum == Stratum.ALL && slice == null;
  }

  /** Whether it compares a node with the others. */
  public boolean ofNode() {
    return slice != null && slice.axis() == Slice.Axis.NODE;
  }

  /** Index of the traffic class that it is kept to; {@link TrafficClasses#ALL} for none. */
  public int trafficClass() {
    return slice != null && slice.axis() == Slice.Axis.TRAFFIC_CLASS
        ? slice.index()
        : TrafficClasses.ALL;
  }

  /** The requests that it is about, for example {@code hit, class portrait}. */
  public String requests() {
    if (slice == null) {
      return stratum.label();
    }
    return stratum == Stratum.ALL ? slice.label() : stratum.label() + ", " + slice.label();
  }

  /** Name for logs and reports, for example {@code mean, hit against miss}. */
  public String label() {
    return kind.name().toLowerCase(Locale.ROOT)
        + ", "
        + (contrast == null ? stratum.label() : contrast.label())
        + (slice == null ? "" : ", " + slice.label() + (ofNode() ? " against the others" : ""))
        + (level < 0 ? "" : ", level " + level);
  }
}
