/**
 * The commands of the serving module: {@code serve} and {@code scorer}. Reads the settings, builds
 * the parts and runs them until a signal. Nothing calls it but the process; only this package knows
 * picocli.
 */
@NullMarked
package io.servedrift.serving.cli;

import org.jspecify.annotations.NullMarked;
