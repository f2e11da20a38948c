/**
 * The eval ledger: which score was measured on which configuration, whether that configuration
 * still runs, and which scores may be compared at all. Decides on what it is given. Called by the
 * command line and {@code ledger.io}; may import {@code stats} and the schemas, and knows no file,
 * Kafka, HTTP or clock.
 */
@NullMarked
package io.servedrift.monitors.ledger;

import org.jspecify.annotations.NullMarked;
