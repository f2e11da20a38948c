package io.servedrift.ingest.publish;

import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.time.Instant;

/** Events for tests. */
final class TestEvents {

  static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

  private TestEvents() {}

  static RequestEvent request(String id) {
    return request(id, NOON);
  }

  static RequestEvent request(String id, Instant finishedAt) {
    return RequestEvent.newBuilder()
        .setRequestId(id)
        .setDeployment("image-gen")
        .setFinishedAt(finishedAt)
        .setStatus(RequestStatus.OK)
        .setLatencySeconds(1.5)
        .build();
  }

  /** No request id: cannot be encoded. */
  static RequestEvent unencodable() {
    return new RequestEvent();
  }

  static RequestEvent large(int bytes) {
    RequestEvent event = request("large");
    event.setError("e".repeat(bytes));
    return event;
  }
}
