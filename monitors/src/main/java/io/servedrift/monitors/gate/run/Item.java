package io.servedrift.monitors.gate.run;

/**
 * Something to ask.
 *
 * @param prompt what
 * @param seed from which everything random in the answer follows
 * @param mode how
 * @param measured whether the answer is kept; else it only makes load or fills a cache
 */
record Item(GatePrompt prompt, long seed, Dialect.Mode mode, boolean measured) {}
