package io.servedrift.monitors.bench;

/**
 * One measured phase.
 *
 * @param name what was done to each record
 * @param records records of all topics it read, ticks included
 * @param wallSeconds elapsed time
 * @param cpuSeconds CPU time of this process, all threads
 */
public record Phase(String name, long records, double wallSeconds, double cpuSeconds) {
  /** What everything else is compared with. */
  public static final String DECODE = "poll + decode";

  /** CPU seconds per million records. */
  public double cpuSecondsPerMillion() {
    return cpuSeconds / records * 1e6;
  }

  /** Records per second of elapsed time. */
  public double recordsPerSecond() {
    return records / wallSeconds;
  }
}
