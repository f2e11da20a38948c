/**
 * What is normal: frozen reference tables of one configuration, metric and statistic, and how much
 * that statistic moves by itself. Called by {@code detection}, {@code attribution} and the judge.
 * May import {@code pane} and {@code stats}, nothing else of ours; no Kafka, no clock.
 */
@NullMarked
package io.servedrift.monitors.baseline;

import org.jspecify.annotations.NullMarked;
