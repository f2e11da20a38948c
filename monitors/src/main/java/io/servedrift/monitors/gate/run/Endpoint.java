package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import java.util.concurrent.CompletableFuture;

/** One of the two sides: how it is reached, asked and read. Thread-safe. */
final class Endpoint {
  private final Caller caller;
  private final Dialect dialect;
  private final Declaration declared;

  Endpoint(Caller caller, Declaration declared) {
    this.caller = caller;
    this.declared = declared;
    this.dialect =
        declared.profile().modality() == Modality.IMAGE
            ? new ImageDialect(declared)
            : new ChatDialect(declared);
  }

  EndpointProfile profile() {
    return declared.profile();
  }

  Dialect dialect() {
    return dialect;
  }

  CompletableFuture<Reply> send(Call call) {
    return caller.send(call);
  }

  /** Empties its cache, when it can be told to; whether that worked. */
  boolean flush() {
    String path = declared.flushPath();
    return path != null
        && declared.profile().flush()
        && caller.send(new Call(path, new byte[] {'{', '}'}, null)).join().ok();
  }
}
