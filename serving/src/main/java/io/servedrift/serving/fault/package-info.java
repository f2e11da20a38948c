/**
 * Faults on purpose, for the demonstration and for tests: off by default, loud when on, outside the
 * configuration fingerprint. Called by every package of the node that can misbehave; imports
 * nothing of ours.
 */
@NullMarked
package io.servedrift.serving.fault;

import org.jspecify.annotations.NullMarked;
