package io.servedrift.monitors.baseline;

import java.util.List;

/**
 * A stratum against the rest of its kind, within the same panes: what both sides share (topic
 * drift, node noise, time of day) cancels.
 */
public enum Contrast {
  HIT_VS_MISS(0, "hit against miss", Stratum.HIT, List.of(Stratum.MISS)),
  LARGE_VS_SMALL_BATCH(
      1,
      "batch 8+ against smaller",
      Stratum.BATCH_8_UP,
      List.of(Stratum.BATCH_1, Stratum.BATCH_2_3, Stratum.BATCH_4_7)),
  PREEMPTED_VS_NOT(2, "preempted against not", Stratum.PREEMPTED, List.of()),
  HIT_IN_LARGE_BATCH_VS_REST(
      3, "hit in batch 8+ against all others", Stratum.HIT_BATCH_8_UP, List.of());

  private static final List<Contrast> LIST = List.of(values());

  private final int index;
  private final String label;
  private final Stratum subject;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<Stratum> others;

  Contrast(int index, String label, Stratum subject, List<Stratum> others) {
    this.index = index;
    this.label = label;
    this.subject = subject;
    this.others = others;
  }

  /** Position in the list of contrasts, from 0. */
  public int index() {
    return index;
  }

  /** Name in findings and documents. */
  public String label() {
    return label;
  }

  /** The stratum that is compared. */
  public Stratum subject() {
    return subject;
  }

  /** What it is compared with; empty for everything but itself. */
  public List<Stratum> others() {
    return others;
  }

  /** The contrast of an index. */
  public static Contrast at(int index) {
    return LIST.get(index);
  }

  /** Sum over the other side of what {@code perStratum} holds by stratum index. */
  double otherSide(double[] perStratum) {
    if (others.isEmpty()) {
      return perStratum[Stratum.ALL.index()] - perStratum[subject.index()];
    }
    double sum = 0;
    for (Stratum other : others) {
      sum += perStratum[other.index()];
    }
    return sum;
  }
}
