/**
 * Seeded traffic, faults with known causes, and a scorer of what a monitor said about them: what
 * the verdicts are measured with. Called by tests and measurements only; imports schemas and the
 * statistics, nothing that decides, so that the judge is not marked by its own ruler.
 */
@NullMarked
package io.servedrift.monitors.testkit;

import org.jspecify.annotations.NullMarked;
