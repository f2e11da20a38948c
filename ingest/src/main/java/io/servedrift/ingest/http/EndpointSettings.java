package io.servedrift.ingest.http;

import java.time.Duration;

/**
 * Limits of {@link EventsEndpoint}.
 *
 * @param maxBodyBytes largest body, as sent and as unpacked, bytes
 * @param maxItems most events in one body
 * @param maxConcurrent most posts worked on at a time; others wait up to a second, then get 429
 * @param bodyTimeout how long a post may take to send its body
 * @param ackTimeout how long a post waits for the broker, longer than the publisher's delivery
 *     time-out
 * @param deadLettersRaw keep rejected input unredacted (it may hold prompts)
 */
public record EndpointSettings(
    int maxBodyBytes,
    int maxItems,
    int maxConcurrent,
    Duration bodyTimeout,
    Duration ackTimeout,
    boolean deadLettersRaw) {

  /** 4 MiB, 10,000 events, 16 posts at a time, 60 s for the body, 30 s for the broker, redacted. */
  public static final EndpointSettings DEFAULT =
      new EndpointSettings(
          4 * 1024 * 1024, 10_000, 16, Duration.ofSeconds(60), Duration.ofSeconds(30), false);

  public EndpointSettings {
    requireAtLeastOne("maxBodyBytes", maxBodyBytes);
    requireAtLeastOne("maxItems", maxItems);
    requireAtLeastOne("maxConcurrent", maxConcurrent);
    requirePositive("bodyTimeout", bodyTimeout);
    requirePositive("ackTimeout", ackTimeout);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException("http " + name + "=" + value + ": must be longer than 0s");
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("http " + name + "=" + value + ": must be at least 1");
    }
  }
}
