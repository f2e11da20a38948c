package io.servedrift.serving.score;

import io.servedrift.serving.engine.PromptTokens;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Embeddings of the prompts seen last; the one unused for longest leaves first. Not thread-safe.
 */
final class TextEmbeddings {

  private final Map<PromptTokens, float[]> entries;
  private long hits;
  private long misses;

  /**
   * An empty cache.
   *
   * @param capacity most prompts kept, at least 1
   */
  TextEmbeddings(int capacity) {
    entries =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<PromptTokens, float[]> eldest) {
            return size() > capacity;
          }
        };
  }

  /** The embedding of a prompt, null when it must be computed. */
  float @Nullable [] find(PromptTokens prompt) {
    float[] embedding = entries.get(prompt);
    if (embedding == null) {
      misses++;
    } else {
      hits++;
    }
    return embedding;
  }

  void put(PromptTokens prompt, float[] embedding) {
    entries.put(prompt, embedding);
  }

  /** Look-ups answered. */
  long hits() {
    return hits;
  }

  /** Look-ups not answered. */
  long misses() {
    return misses;
  }
}
