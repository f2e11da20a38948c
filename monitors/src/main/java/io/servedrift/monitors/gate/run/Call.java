package io.servedrift.monitors.gate.run;

import org.jspecify.annotations.Nullable;

/**
 * A call of an endpoint. Immutable by convention: nobody writes into the array.
 *
 * @param path below the endpoint's address
 * @param body JSON to post; null to get
 * @param requestId by which the endpoint's events know it
 */
@SuppressWarnings("ArrayRecordComponent")
record Call(String path, byte @Nullable [] body, @Nullable String requestId) {
  static Call get(String path) {
    return new Call(path, null, null);
  }
}
