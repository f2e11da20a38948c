/**
 * Statistics as pure functions: numbers in, records out. Called by {@code pane} and by everything
 * that judges. May import commons-statistics-distribution and nothing of ours; no Kafka, no
 * Jackson, no logging, no clock.
 */
@NullMarked
package io.servedrift.monitors.stats;

import org.jspecify.annotations.NullMarked;
