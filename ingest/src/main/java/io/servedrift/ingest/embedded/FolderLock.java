package io.servedrift.ingest.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Exclusive use of a broker's folder, across processes and within this one. The operating system
 * gives the lock back when the process dies, however it dies.
 */
final class FolderLock implements AutoCloseable {

  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  static FolderLock acquire(Path dir) throws IOException {
    FileChannel channel =
        FileChannel.open(
            dir.resolve("servedrift.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      FileLock lock = channel.tryLock();
      locked = lock != null;
    } catch (OverlappingFileLockException alreadyHeldByThisProcess) {
      locked = false;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
    if (!locked) {
      throw new EmbeddedBrokerException(
          "embedded broker folder "
              + dir
              + " is in use by another embedded broker: one broker per folder; stop the other one,"
              + " connect to it with --bootstrap-servers, or choose another folder",
          null);
    }
    return new FolderLock(channel);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
