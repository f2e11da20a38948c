package io.servedrift.monitors.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs every peer over one series of values and notes the minutes of their alarms. Values before
 * the reference's end make the reference; window-wise peers look at each full hour of at least 30
 * values after it, and an alarm of theirs is the first hour of a run of flagged hours; the stream
 * peers see every value from the start, as they would in service, and each detection after the
 * reference is an alarm. Not thread-safe.
 */
public final class PeerRun {
  private static final int HOUR = 60;
  private static final int LEAST = 30;
  private static final int KS_REFERENCE = 1_000;

  private final int referenceMinutes;
  private final long seed;
  private final Map<Peer, List<Integer>> alarms = new EnumMap<>(Peer.class);
  private final Map<Peer, Boolean> flagged = new EnumMap<>(Peer.class);
  private final StreamDetector adwin = new Adwin(0.002);
  private final StreamDetector pageHinkley = new PageHinkley();
  private double[] values = new double[4096];
  private int size;
  private int hour;
  private @Nullable WindowDistance full;
  private @Nullable WindowDistance sampled;
  private double mean;
  private double sd;

  /**
   * @param referenceMinutes minutes from the start that make the reference, whole hours
   * @param seed of the thousand reference values that KS is given
   */
  public PeerRun(int referenceMinutes, long seed) {
    if (referenceMinutes < HOUR || referenceMinutes % HOUR != 0) {
      throw new IllegalArgumentException(
          "reference of " + referenceMinutes + " minutes: must be whole hours, at least one");
    }
    this.referenceMinutes = referenceMinutes;
    this.seed = seed;
    for (Peer peer : Peer.values()) {
      alarms.put(peer, new ArrayList<>());
      flagged.put(peer, false);
    }
  }

  /** Takes the next value; minutes never fall. */
  public void add(int minute, double value) {
    closeHoursBefore(minute);
    if (adwin.update(value) && minute >= referenceMinutes) {
      alarm(Peer.ADWIN, minute);
    }
    if (minute >= referenceMinutes && pageHinkley.update((value - mean) / sd)) {
      alarm(Peer.PAGE_HINKLEY, minute);
    }
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  /** Closes the hours that end at or before a minute; call once more at the end of the series. */
  public void closeHoursBefore(int minute) {
    if (full == null && minute >= referenceMinutes) {
      learn();
      hour = referenceMinutes / HOUR;
    }
    while (full != null && (hour + 1) * HOUR <= minute) {
      closeHour();
      hour++;
    }
  }

  private void learn() {
    double[] reference = Arrays.copyOf(values, size);
    size = 0;
    double[] part = reference.clone();
    SplittableRandom random = new SplittableRandom(seed);
    int n = Math.min(KS_REFERENCE, part.length);
    for (int i = 0; i < n; i++) {
      int j = random.nextInt(i, part.length);
      double kept = part[i];
      part[i] = part[j];
      part[j] = kept;
    }
    sampled = new WindowDistance(Arrays.copyOf(part, n));
    full = new WindowDistance(reference);
    mean = Arrays.stream(reference).average().orElseThrow();
    double squares = 0;
    for (double x : reference) {
      squares += (x - mean) * (x - mean);
    }
    sd = Math.sqrt(squares / reference.length);
  }

  private void closeHour() {
    double[] window = Arrays.copyOf(values, size);
    size = 0;
    if (window.length < LEAST) {
      return;
    }
    Arrays.sort(window);
    flag(Peer.KS, sampled.ksPValue(window) < 0.05);
    flag(Peer.WASSERSTEIN, full.wasserstein(window) >= 0.1);
    flag(Peer.PSI, full.psi(window) > 0.2);
  }

  private void flag(Peer peer, boolean now) {
    if (now && !flagged.get(peer)) {
      alarm(peer, (hour + 1) * HOUR);
    }
    flagged.put(peer, now);
  }

  private void alarm(Peer peer, int minute) {
    alarms.get(peer).add(minute);
  }

  /** Minutes of a peer's alarms, rising. */
  public List<Integer> alarms(Peer peer) {
    return List.copyOf(alarms.get(peer));
  }
}
