/**
 * Text that people write and read: durations and sizes with units, and which known name a mistyped
 * one meant. Called by the command line and by {@code policy}; may import nothing of ours.
 */
@NullMarked
package io.servedrift.monitors.text;

import org.jspecify.annotations.NullMarked;
