package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a measurement but its number. What is null was not said.
 *
 * @param deployment the logical service
 * @param config what was measured
 * @param model what was measured
 * @param harness the program that measured
 * @param harnessVersion of it
 * @param from start of the measurement
 * @param to end of it
 * @param concurrency mean number of requests in flight
 * @param command that measured, without secrets
 * @param resultPaths where value, n and stderr stand in what the command writes
 * @param system what an endpoint said; null when none was asked
 * @param by who records
 * @param supersedes eval_id of the record whose place this one takes
 */
public record Provenance(
    @Nullable String deployment,
    @Nullable Fingerprint config,
    @Nullable Fingerprint model,
    @Nullable String harness,
    @Nullable String harnessVersion,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable Double concurrency,
    SafeCommand command,
    Map<String, String> resultPaths,
    @Nullable AskedSystem system,
    String by,
    @Nullable String supersedes) {
  /** Copies the paths. */
  public Provenance {
    resultPaths = Map.copyOf(resultPaths);
  }

  /** The same with times where none were said. */
  public Provenance during(Instant start, @Nullable Instant end) {
    return new Provenance(
        deployment,
        config,
        model,
        harness,
        harnessVersion,
        from == null && end != null ? start : from,
        to == null ? end : to,
        concurrency,
        command,
        resultPaths,
        system,
        by,
        supersedes);
  }

  /** The same with a deployment where none was said. */
  public Provenance servedBy(@Nullable String service) {
    return new Provenance(
        deployment == null ? service : deployment,
        config,
        model,
        harness,
        harnessVersion,
        from,
        to,
        concurrency,
        command,
        resultPaths,
        system,
        by,
        supersedes);
  }

  /** The same, taking the place of another record or of none. */
  public Provenance superseding(@Nullable String id) {
    return new Provenance(
        deployment,
        config,
        model,
        harness,
        harnessVersion,
        from,
        to,
        concurrency,
        command,
        resultPaths,
        system,
        by,
        id);
  }

  /**
   * What was captured at an endpoint.
   *
   * @param address where
   * @param throughout whether it was captured before and after the measurement and was the same
   * @param intended what was asked for; null when it was not said
   * @param intendedChanges axes in which the resolved configuration is not the intended one
   */
  public record AskedSystem(
      String address,
      boolean throughout,
      @Nullable Fingerprint intended,
      List<String> intendedChanges) {
    /** Copies the axes. */
    public AskedSystem {
      intendedChanges = List.copyOf(intendedChanges);
    }
  }
}
