package io.servedrift.monitors.baseline;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Load: mean arrivals per minute over 15 minutes. Looks only back, so that it can be used as a
 * covariate of what comes next. Not thread-safe.
 *
 * <p>A request is known only once it has finished, so the last arrivals of a congested server are
 * not known yet. Therefore the 15 minutes end with the <em>median arrival pane</em> of the requests
 * that finished in a pane: the load that these requests met, however long they took. What arrived
 * shortly before that end and takes longer still is missing: the more the latencies of one moment
 * differ, the lower the load reads. Where requests are served in order, they hardly do; where they
 * are exponential with a mean of 10 minutes, it reads 27 % low.
 *
 * <p>A minute without a pane has no arrivals. While fewer than 15 minutes have been seen since the
 * first such end, the mean is over the minutes seen.
 */
public final class LoadMeter {
  private static final long WINDOW_MICROS = 15 * 60_000_000L;

  /** Panes carry arrivals of the last hour. */
  private static final long REACH_MICROS = 60 * 60_000_000L;

  private static final double MICROS_PER_MINUTE = 60_000_000;

  private final long paneMicros;
  private final int windowPanes;
  private final TreeMap<Long, Double> recent = new TreeMap<>();
  private boolean started;
  private long firstMicros;
  private long lastMicros;

  /**
   * Starts without history.
   *
   * @param paneMicros length of a pane
   */
  public LoadMeter(long paneMicros) {
    if (paneMicros < 1) {
      throw new IllegalArgumentException("paneMicros=" + paneMicros + ": must be at least 1");
    }
    this.paneMicros = paneMicros;
    windowPanes = (int) Math.max(1, WINDOW_MICROS / paneMicros);
  }

  /**
   * Takes the next pane when only the number of its requests is known: they count as having arrived
   * in it.
   *
   * @param startMicros its start, later than that of the pane before
   * @param arrivals requests that arrived in it
   * @return arrivals per minute
   */
  public double observe(long startMicros, double arrivals) {
    requireNext(startMicros);
    recent.merge(startMicros, arrivals, Double::sum);
    return loadAt(startMicros, startMicros);
  }

  /**
   * Takes the next pane.
   *
   * @param startMicros its start, later than that of the pane before
   * @param arrivals the requests that finished in it, by the start of the pane they arrived in; may
   *     be empty
   * @return arrivals per minute that these requests met; without requests, those up to this pane
   * @throws IllegalArgumentException when a request arrived after the pane, or a count is below 1
   */
  public double observe(long startMicros, SortedMap<Long, Long> arrivals) {
    requireNext(startMicros);
    if (!arrivals.isEmpty() && arrivals.lastKey() > startMicros) {
      throw new IllegalArgumentException(
          "arrivals at " + arrivals.lastKey() + ": must not be after the pane " + startMicros);
    }
    for (Map.Entry<Long, Long> pane : arrivals.entrySet()) {
      if (pane.getValue() < 1) {
        throw new IllegalArgumentException(
            "arrivals at " + pane.getKey() + ": " + pane.getValue() + ", must be at least 1");
      }
    }
    arrivals.forEach((pane, count) -> recent.merge(pane, (double) count, Double::sum));
    return loadAt(startMicros, arrivals.isEmpty() ? startMicros : median(arrivals));
  }

  private void requireNext(long startMicros) {
    if (started && startMicros <= lastMicros) {
      throw new IllegalArgumentException(
          "pane " + startMicros + ": must start after the pane before, " + lastMicros);
    }
  }

  /** The first pane by which half of the requests had arrived. */
  private static long median(SortedMap<Long, Long> arrivals) {
    long total = arrivals.values().stream().mapToLong(Long::longValue).sum();
    long before = 0;
    for (Map.Entry<Long, Long> pane : arrivals.entrySet()) {
      before += pane.getValue();
      if (before >= total - before) {
        return pane.getKey();
      }
    }
    throw new IllegalArgumentException("median of no arrivals: needs at least one");
  }

  private double loadAt(long startMicros, long endPane) {
    if (!started) {
      started = true;
      firstMicros = endPane;
    }
    lastMicros = startMicros;
    recent.headMap(startMicros - REACH_MICROS - WINDOW_MICROS - paneMicros).clear();
    long seen = (endPane - firstMicros) / paneMicros + 1;
    long panes = Math.max(1, Math.min(windowPanes, seen));
    double sum = 0;
    for (double count :
        recent.subMap(endPane - panes * paneMicros, false, endPane, true).values()) {
      sum += count;
    }
    return sum / (panes * (paneMicros / MICROS_PER_MINUTE));
  }

  /** Writes all that decides what comes next. */
  public void write(Content.Writer out) {
    out.whole(paneMicros);
    out.count(started ? 1 : 0);
    out.whole(firstMicros);
    out.whole(lastMicros);
    out.count(recent.size());
    recent.forEach(
        (pane, count) -> {
          out.whole(pane);
          out.number(count);
        });
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  public static LoadMeter read(Content.Reader in) {
    LoadMeter meter = new LoadMeter(in.whole());
    meter.started = in.count() == 1;
    meter.firstMicros = in.whole();
    meter.lastMicros = in.whole();
    int panes = in.count();
    for (int i = 0; i < panes; i++) {
      meter.recent.put(in.whole(), in.number());
    }
    return meter;
  }
}
