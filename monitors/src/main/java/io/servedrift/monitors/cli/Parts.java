package io.servedrift.monitors.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Things that were started one after the other and are closed in the opposite order. A part that
 * fails to close is logged and does not keep the others open. Not thread-safe.
 */
final class Parts implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

  private record Part(String name, AutoCloseable closeable) {}

  private final Deque<Part> parts = new ArrayDeque<>();

  /** Notes a part that has been started. */
  <T extends AutoCloseable> T add(String name, T part) {
    parts.push(new Part(name, part));
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      LOG.debug("closing {}", part.name());
      try {
        part.closeable().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.warn("{} did not close cleanly: {}", part.name(), e.toString());
      }
    }
  }
}
