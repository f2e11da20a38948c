/**
 * Continuous batching: decides between two denoising steps which requests run, which wait and which
 * batch is stepped next, and executes it on one thread. Called by the node; imports {@code
 * generation}, {@code recorder} and {@code fault}; knows no engine.
 *
 * <p>The decision ({@link io.servedrift.serving.scheduler.BatchPlanner}) has no thread, no clock
 * and no backend; the execution ({@link io.servedrift.serving.scheduler.StepLoop}) makes no
 * decision.
 */
@NullMarked
package io.servedrift.serving.scheduler;

import org.jspecify.annotations.NullMarked;
