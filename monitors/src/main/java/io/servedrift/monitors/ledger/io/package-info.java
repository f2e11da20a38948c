/**
 * Where the eval ledger comes from and goes to: its file, its topic, the endpoint whose
 * configuration is captured, and the command that measures. Called by the command line; may import
 * {@code ledger}, {@code archive} and the schemas.
 */
@NullMarked
package io.servedrift.monitors.ledger.io;

import org.jspecify.annotations.NullMarked;
