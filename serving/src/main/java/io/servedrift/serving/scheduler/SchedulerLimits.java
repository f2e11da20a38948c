package io.servedrift.serving.scheduler;

/**
 * How much the scheduler takes at a time. In {@link BatchingMode#SINGLE} one request runs, whatever
 * {@code maxBatchSize} and {@code maxRunning} say, and {@code maxPreemptions} counts as 0.
 *
 * @param mode how requests share the denoiser
 * @param maxBatchSize running requests with equal batch keys, which is the size of a batch; 1 to 64
 * @param maxRunning running requests over all batch keys, 1 to 1024
 * @param maxWaiting requests that wait, preempted ones included, beyond which new ones are refused;
 *     1 to 100,000
 * @param maxPreemptions how often one request may be preempted by more urgent ones; 0 (never) to
 *     100
 */
public record SchedulerLimits(
    BatchingMode mode, int maxBatchSize, int maxRunning, int maxWaiting, int maxPreemptions) {

  public SchedulerLimits {
    check("max_batch_size", maxBatchSize, 1, 64);
    check("max_running", maxRunning, 1, 1024);
    check("max_waiting", maxWaiting, 1, 100_000);
    check("max_preemptions", maxPreemptions, 0, 100);
  }

  /** Batches of 8, 16 running, 64 waiting, 2 preemptions. */
  public static SchedulerLimits continuous() {
    return new SchedulerLimits(BatchingMode.CONTINUOUS, 8, 16, 64, 2);
  }

  /** One at a time, 64 waiting. */
  public static SchedulerLimits single() {
    return new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 64, 0);
  }

  /** The batch size in force: 1 in single mode. */
  public int batchSize() {
    return mode == BatchingMode.SINGLE ? 1 : maxBatchSize;
  }

  /** The number of running requests in force: 1 in single mode. */
  public int running() {
    return mode == BatchingMode.SINGLE ? 1 : maxRunning;
  }

  /** The preemptions of one request in force: 0 in single mode. */
  public int preemptions() {
    return mode == BatchingMode.SINGLE ? 0 : maxPreemptions;
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + "=" + value + ": must be between " + min + " and " + max);
    }
  }
}
