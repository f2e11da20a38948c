/**
 * What a release gate leaves behind for people and machines: one JSON document, a page, a JUnit
 * file, a text for a pull request, and a blinded sheet on which a human compares outputs. All are
 * made of a {@link io.servedrift.monitors.gate.GateResult}; nothing here decides. Called by the
 * command line. May import {@code gate}, {@code report} (for the style) and {@code text} of this
 * module, and Jackson; no HTTP, no Kafka, no clock.
 */
@NullMarked
package io.servedrift.monitors.gate.report;

import org.jspecify.annotations.NullMarked;
