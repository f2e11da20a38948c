package io.servedrift.ingest.follow;

import java.nio.file.Path;
import java.util.List;

/**
 * What is followed, and how.
 *
 * @param paths files, or folders of which every file is followed
 * @param places state file that remembers how far each was read
 * @param fromEnd pass over what a file holds when it is met for the first time at the start
 * @param maxLineBytes a longer line is rejected
 */
public record FollowSettings(List<Path> paths, Path places, boolean fromEnd, int maxLineBytes) {
  public FollowSettings {
    paths = List.copyOf(paths);
    if (paths.isEmpty()) {
      throw new IllegalArgumentException("paths: must name at least one file or folder");
    }
    if (maxLineBytes < 1) {
      throw new IllegalArgumentException("maxLineBytes=" + maxLineBytes + ": must be at least 1");
    }
  }
}
