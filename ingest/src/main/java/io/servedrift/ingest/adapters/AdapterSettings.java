package io.servedrift.ingest.adapters;

import io.servedrift.ingest.capture.Captured;
import io.servedrift.schemas.PromptHash;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a source does not say itself.
 *
 * @param deployment that the records are of; where the source names one, this one wins
 * @param node that the records are of
 * @param zone of times that carry none
 * @param promptHash makes the hash of a prompt; without it prompts leave no trace
 * @param served configuration and model in force at the time of asking, given to every request
 */
public record AdapterSettings(
    Optional<String> deployment,
    Optional<String> node,
    Optional<ZoneId> zone,
    Optional<PromptHash> promptHash,
    Supplier<Optional<Captured>> served) {

  /**
   * With a configuration that stays.
   *
   * @param captured configuration and model in force, given to every request
   */
  public AdapterSettings(
      Optional<String> deployment,
      Optional<String> node,
      Optional<ZoneId> zone,
      Optional<PromptHash> promptHash,
      Optional<Captured> captured) {
    this(deployment, node, zone, promptHash, () -> captured);
  }

  /** The configuration and model in force now. */
  public Optional<Captured> captured() {
    return served.get();
  }

  /** Only the deployment is known. */
  public static AdapterSettings of(String deployment) {
    return new AdapterSettings(
        Optional.of(deployment),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional::empty);
  }

  /** The same with a zone for local times. */
  public AdapterSettings withZone(ZoneId value) {
    return new AdapterSettings(deployment, node, Optional.of(value), promptHash, served);
  }

  /** The same with hashes of prompts. */
  public AdapterSettings withPromptHash(PromptHash value) {
    return new AdapterSettings(deployment, node, zone, Optional.of(value), served);
  }

  /** The same with a configuration. */
  public AdapterSettings withCaptured(Captured value) {
    return new AdapterSettings(deployment, node, zone, promptHash, Optional.of(value));
  }

  /** The same with a configuration that may change while records are read. */
  public AdapterSettings withServed(Supplier<Optional<Captured>> value) {
    return new AdapterSettings(deployment, node, zone, promptHash, value);
  }
}
