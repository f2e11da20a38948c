package io.servedrift.serving.engine;

import ai.djl.Device;
import ai.djl.ndarray.NDManager;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.serving.cache.ConditioningCache;
import io.servedrift.serving.cache.Lease;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Gives prompts their conditioning: from the cache or from the text encoder. Thread-safe; the text
 * encoder runs on the calling thread, one call at a time.
 */
final class Conditioner implements AutoCloseable {

  /** So many tokens of a prompt remain in the key when {@code CONDITIONING_KEY_COLLISION} is on. */
  private static final int COLLIDING_TOKENS = 4;

  private final NDManager manager;
  private final Faults faults;
  private final ConditioningCache<ConditioningKey, Conditioning> cache;

  /** The empty prompt's, which every guided request needs: part of the model, not of the cache. */
  private final ConditioningCache<ConditioningKey, Conditioning> unconditional;

  /** Weights whose entries outlived a reload, by {@link Fault#STALE_CACHE_AFTER_WEIGHTS}. */
  private final Set<String> staleDigests = new LinkedHashSet<>();

  private TextEncoder encoder;

  Conditioner(TextEncoder encoder, Device device, long cacheBytes, Faults faults) {
    this.encoder = encoder;
    this.manager = NDManager.newBaseManager(device, "PyTorch");
    this.faults = faults;
    this.cache = newCache(cacheBytes);
    this.unconditional = newCache(Long.MAX_VALUE);
  }

  private static ConditioningCache<ConditioningKey, Conditioning> newCache(long bytes) {
    return new ConditioningCache<>(
        bytes, Conditioning::bytes, Conditioning::close, System::nanoTime);
  }

  /** The conditioning of a prompt. */
  synchronized Conditioned of(String prompt, boolean useCache) {
    PromptTokens tokens = encoder.tokens(prompt);
    if (!useCache || !cache.enabled()) {
      return new Conditioned(cache.bypass(encoder.encode(tokens, manager)), CacheOutcome.BYPASS);
    }
    ConditioningKey own = key(tokens, encoder.weightsDigest());
    Optional<Lease<Conditioning>> found = cache.acquire(stale(tokens).orElse(own));
    // Always under the digest of the weights that made it: no fault may outlive its switch.
    return found.isPresent()
        ? new Conditioned(found.get(), CacheOutcome.HIT)
        : new Conditioned(cache.store(own, encoder.encode(tokens, manager)), CacheOutcome.MISS);
  }

  /** The key of what other weights made of a prompt, while the fault is on. */
  private Optional<ConditioningKey> stale(PromptTokens tokens) {
    if (!faults.on(Fault.STALE_CACHE_AFTER_WEIGHTS)) {
      return Optional.empty();
    }
    return staleDigests.stream()
        .map(digest -> key(tokens, digest))
        .filter(cache::contains)
        .findFirst();
  }

  /** The conditioning of the empty prompt; no matter of the cache. */
  synchronized Conditioned unconditional() {
    PromptTokens tokens = encoder.tokens("");
    ConditioningKey key = new ConditioningKey(encoder.weightsDigest(), encoder.settings(), tokens);
    Lease<Conditioning> lease =
        unconditional
            .acquire(key)
            .orElseGet(() -> unconditional.store(key, encoder.encode(tokens, manager)));
    return new Conditioned(lease, CacheOutcome.BYPASS);
  }

  /**
   * Takes another text encoder and closes the old one. What was computed by the old one is dropped,
   * unless {@link Fault#STALE_CACHE_AFTER_WEIGHTS} is on: then its entries go on being found, as
   * long as the fault is on.
   *
   * @throws IllegalArgumentException when its conditioning has another width; it is closed then
   */
  synchronized void replace(TextEncoder other) {
    try {
      requireSameWidth(other);
    } catch (RuntimeException e) {
      other.close();
      throw e;
    }
    TextEncoder old = encoder;
    encoder = other;
    unconditional.flush();
    if (faults.on(Fault.STALE_CACHE_AFTER_WEIGHTS)) {
      staleDigests.add(old.weightsDigest());
    } else {
      staleDigests.clear();
      cache.flush();
    }
    old.close();
  }

  private void requireSameWidth(TextEncoder other) {
    try (Conditioned present = unconditional();
        Conditioning made = other.encode(other.tokens(""), manager)) {
      long width = present.value().width();
      if (made.width() != width) {
        throw new IllegalArgumentException(
            "text_encoder: makes " + made.width() + " values a token: must be " + width);
      }
    }
  }

  ConditioningCache<ConditioningKey, Conditioning> cache() {
    return cache;
  }

  /** Arrays on the device: conditioning in the caches or in use. */
  synchronized int arrays() {
    return manager.getManagedArrays().size() + encoder.arrays();
  }

  private ConditioningKey key(PromptTokens tokens, String digest) {
    return faults.on(Fault.CONDITIONING_KEY_COLLISION)
        // A name of its own, so that nothing stored so is found when the fault is off again.
        ? new ConditioningKey(
            digest, encoder.settings() + "/prefix", tokens.prefix(COLLIDING_TOKENS))
        : new ConditioningKey(digest, encoder.settings(), tokens);
  }

  @Override
  public synchronized void close() {
    cache.close();
    unconditional.close();
    encoder.close();
    manager.close();
  }
}
