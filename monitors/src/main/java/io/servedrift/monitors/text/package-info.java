/**
 * Text that people write and read: durations and sizes with units, which known name a mistyped one
 * meant, and what a page carries in itself. Called by the command line, {@code policy}, {@code
 * page} and {@code report}; may import nothing of ours.
 */
@NullMarked
package io.servedrift.monitors.text;

import org.jspecify.annotations.NullMarked;
