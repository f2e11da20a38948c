package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;

/**
 * Who scores a series: scores of different scorers are never mixed, so what is normal is learned
 * anew when another one has taken over. Not thread-safe.
 */
final class ScorerWatch {
  private static final String SCORER = "scorer";

  /** Panes with another scorer until it has taken over. */
  private static final int PANES = 3;

  private String scorer = "";
  private String latest = "";
  private int otherPanes;

  /** Whose scores are learned from; empty for metrics without scorer. */
  String scorer() {
    return scorer;
  }

  /** Who scored most of the latest pane that says so. */
  String latest() {
    return latest;
  }

  /**
   * Takes the next pane.
   *
   * @return whether another scorer has taken over, {@link #takenOver} ago
   */
  boolean next(CellPane pane) {
    String dominant = "";
    long most = 0;
    for (CellPane.MarginCell margin : pane.margins()) {
      if (margin.covariate().equals(SCORER) && margin.values().n() > most) {
        dominant = margin.level();
        most = margin.values().n();
      }
    }
    if (dominant.isEmpty()) {
      return false;
    }
    latest = dominant;
    if (scorer.isEmpty()) {
      scorer = dominant;
    }
    otherPanes = dominant.equals(scorer) ? 0 : otherPanes + 1;
    if (otherPanes < PANES) {
      return false;
    }
    scorer = dominant;
    otherPanes = 0;
    return true;
  }

  /** From the first pane of a scorer that has taken over to the one that showed it. */
  static long takenOver(long paneMicros) {
    return (PANES - 1) * paneMicros;
  }

  void write(Content.Writer out) {
    out.text(scorer);
    out.text(latest);
    out.count(otherPanes);
  }

  void read(Content.Reader in) {
    scorer = in.text();
    latest = in.text();
    otherPanes = in.count();
  }
}
