package io.servedrift.schemas;

/**
 * One thing that is wrong with an item.
 *
 * @param path where, e.g. {@code batch.segments[2].size}
 * @param value what was found, cut to a few words; texts that may be content are shown as their
 *     length only
 * @param allowed what would have been right
 */
public record Problem(String path, String value, String allowed) {
  /** {@code path=value: must be allowed}. */
  public String text() {
    return path + "=" + value + ": must be " + allowed;
  }
}
