/**
 * The command line: the composition root that puts the parts together. Nothing calls it except
 * {@link io.servedrift.monitors.cli.Main}; it may import every other package, and it alone may
 * import picocli and the ingest module.
 */
@NullMarked
package io.servedrift.monitors.cli;

import org.jspecify.annotations.NullMarked;
