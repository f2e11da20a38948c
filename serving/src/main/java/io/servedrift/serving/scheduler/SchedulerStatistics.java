package io.servedrift.serving.scheduler;

/**
 * What the scheduler did so far and does now, taken at one moment. At every moment {@code submitted
 * = refused + done + failed + cancelled + timedOut + running + preempted + waiting}.
 *
 * @param submitted requests offered since the start
 * @param refused requests refused: queue full or shutting down
 * @param done requests that gave an image
 * @param failed requests that the backend failed or the node gave up
 * @param cancelled requests cancelled by their caller
 * @param timedOut requests that passed their deadline
 * @param running requests that take part in steps now
 * @param preempted requests that were taken off the engine and wait to go on
 * @param waiting requests that have not begun
 * @param steps steps of the backend since the start
 * @param sampleSteps sum of the batch sizes of these steps
 * @param preemptions preemptions since the start
 */
public record SchedulerStatistics(
    long submitted,
    long refused,
    long done,
    long failed,
    long cancelled,
    long timedOut,
    int running,
    int preempted,
    int waiting,
    long steps,
    long sampleSteps,
    long preemptions) {}
