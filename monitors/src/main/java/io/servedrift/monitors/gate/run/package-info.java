/**
 * Runs a release gate: asks two endpoints the same things under several regimes and records what
 * they answered, so that {@link io.servedrift.monitors.gate} can judge it, now or later. Called by
 * the command line and the demonstration; may import {@code gate}, {@code text}, the schemas, HTTP
 * and files. Decides nothing.
 */
@NullMarked
package io.servedrift.monitors.gate.run;

import org.jspecify.annotations.NullMarked;
