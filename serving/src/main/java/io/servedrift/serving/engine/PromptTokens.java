package io.servedrift.serving.engine;

import java.util.Arrays;

/** The token ids of one prompt; equal when the ids are equal. Immutable. */
public final class PromptTokens {

  private final long[] ids;
  private final boolean truncated;

  PromptTokens(long[] ids, boolean truncated) {
    this.ids = ids.clone();
    this.truncated = truncated;
  }

  /** A copy of the ids, special tokens included. */
  public long[] ids() {
    return ids.clone();
  }

  /** How many ids, special tokens included. */
  public int length() {
    return ids.length;
  }

  /** Whether the prompt was longer than the model can read and lost its end. */
  public boolean truncated() {
    return truncated;
  }

  /** The first ids only. */
  PromptTokens prefix(int length) {
    return new PromptTokens(Arrays.copyOf(ids, Math.min(length, ids.length)), true);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PromptTokens that && Arrays.equals(ids, that.ids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ids);
  }

  /** The length only: ids can be turned back into the prompt. */
  @Override
  public String toString() {
    return ids.length + " tokens";
  }
}
