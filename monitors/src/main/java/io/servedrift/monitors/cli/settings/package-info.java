/**
 * The settings of the product: one catalogue ({@link
 * io.servedrift.monitors.cli.settings.SettingsCatalogue}, and for the gateway {@link
 * io.servedrift.monitors.cli.settings.GatewayCatalogue}) from which the command line options, the
 * environment variables, the YAML keys and the tables in the documentation all follow. Called by
 * the commands; of ours it may import {@code text} only.
 */
@NullMarked
package io.servedrift.monitors.cli.settings;

import org.jspecify.annotations.NullMarked;
