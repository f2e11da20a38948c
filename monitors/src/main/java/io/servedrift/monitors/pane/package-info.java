/**
 * What a minute of traffic looked like: distributions, cells and panes as sets of values that merge
 * in any order to the same bytes, and the numbers of a window made from them. Called by {@code
 * topology}, {@code replay} and the judge. May import {@code stats}, the Avro classes and (in
 * {@link TailSketch} alone) t-digest; no Kafka, no clock.
 */
@NullMarked
package io.servedrift.monitors.pane;

import org.jspecify.annotations.NullMarked;
