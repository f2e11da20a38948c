/**
 * Endpoints of the gate's tests: an image endpoint, a chat endpoint and a scorer in this process,
 * deterministic from prompt and seed, with faults that can be switched on; they answer in the
 * shapes of the real ones.
 */
@NullMarked
package io.servedrift.monitors.gate.testkit;

import org.jspecify.annotations.NullMarked;
