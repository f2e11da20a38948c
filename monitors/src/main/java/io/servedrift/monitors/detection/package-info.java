/**
 * Whether something moved: anytime-valid evidence against a frozen baseline, pane by pane, with the
 * levels at which it is shown, ticketed and paged. Called by the judge. May import {@code
 * baseline}, {@code pane} and {@code stats}, nothing else of ours; no Kafka, no clock.
 */
@NullMarked
package io.servedrift.monitors.detection;

import org.jspecify.annotations.NullMarked;
