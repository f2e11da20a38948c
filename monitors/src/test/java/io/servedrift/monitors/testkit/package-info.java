/**
 * Seeded traffic, faults with known causes, and a scorer of what a monitor said about them: what
 * the verdicts are measured with, and the table that says how good they are. Called by tests and
 * measurements only. Traffic, faults and scorer import schemas and the statistics, nothing that
 * decides, so that the judge is not marked by its own ruler; the runs of the table call what is
 * measured.
 */
@NullMarked
package io.servedrift.monitors.testkit;

import org.jspecify.annotations.NullMarked;
