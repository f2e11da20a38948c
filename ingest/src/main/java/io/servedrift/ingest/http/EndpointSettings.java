package io.servedrift.ingest.http;

import java.time.Duration;

/**
 * Limits of {@link EventsEndpoint}.
 *
 * @param maxBodyBytes largest body, as sent and as unpacked, bytes
 * @param maxItems most events in one body
 * @param maxConcurrent most posts worked on at a time; others wait up to a second, then get 429
 * @param ackTimeout how long a post waits for the broker, longer than the publisher's delivery
 *     time-out
 * @param deadLettersRaw keep rejected input unredacted (it may hold prompts)
 */
public record EndpointSettings(
    int maxBodyBytes,
    int maxItems,
    int maxConcurrent,
    Duration ackTimeout,
    boolean deadLettersRaw) {

  /** 4 MiB, 10,000 events, 16 posts at a time, 30 s, redacted. */
  public static final EndpointSettings DEFAULT =
      new EndpointSettings(4 * 1024 * 1024, 10_000, 16, Duration.ofSeconds(30), false);

  public EndpointSettings {
    requireAtLeastOne("maxBodyBytes", maxBodyBytes);
    requireAtLeastOne("maxItems", maxItems);
    requireAtLeastOne("maxConcurrent", maxConcurrent);
    if (ackTimeout.isNegative() || ackTimeout.isZero()) {
      throw new IllegalArgumentException(
          "http ackTimeout=" + ackTimeout + ": must be longer than 0s");
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("http " + name + "=" + value + ": must be at least 1");
    }
  }
}
