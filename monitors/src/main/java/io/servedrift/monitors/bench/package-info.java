/**
 * How much this machine can take: the same records polled, decoded, aggregated live and replayed,
 * side by side in one run. Called by the command line; may import the shell packages it measures
 * and the demo's traffic.
 */
@NullMarked
package io.servedrift.monitors.bench;

import org.jspecify.annotations.NullMarked;
