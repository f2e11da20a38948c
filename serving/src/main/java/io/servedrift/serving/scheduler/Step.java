package io.servedrift.serving.scheduler;

import java.util.List;

/**
 * The next step.
 *
 * @param batch requests with equal batch keys; empty when none runs
 * @param stalled requests that run and do not take part
 */
record Step(List<Job> batch, List<Job> stalled) {}
