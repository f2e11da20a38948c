package io.servedrift.monitors.topology;

import java.util.Map;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;

/**
 * A store without content whose only purpose is to be asked before every commit. Kafka Streams
 * calls {@code flushCache} of each cached store before it flushes the producer and commits offsets:
 * at the commit interval, when a task is taken away and on close. A punctuator with {@code
 * context.commit()} is not called in the latter two and would lose what was aggregated since.
 *
 * <p>This is the one class that uses a Kafka Streams internal ({@code CachedStateStore}); the Kafka
 * version is pinned and the crash test fails when the behaviour changes. Inside the hook only
 * writes to stores are allowed, no forwarding.
 */
final class CommitHook implements CachedStateStore<byte[], byte[]>, StateStore {
  private final String name;
  private Runnable beforeCommit = () -> {};
  private boolean open;

  private CommitHook(String name) {
    this.name = name;
  }

  /** Sets what to run before each commit. */
  void beforeCommit(Runnable action) {
    this.beforeCommit = action;
  }

  @Override
  public void flushCache() {
    beforeCommit.run();
  }

  @Override
  public void clearCache() {}

  @Override
  public boolean setFlushListener(
      CacheFlushListener<byte[], byte[]> listener, boolean sendOldValues) {
    return false;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    context.register(root, (key, value) -> {});
    open = true;
  }

  @Override
  public void close() {
    open = false;
    beforeCommit = () -> {};
  }

  @Override
  public boolean persistent() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  /** Builds hooks; never logged: there is nothing to restore. */
  static final class Builder implements StoreBuilder<CommitHook> {
    private final String name;

    Builder(String name) {
      this.name = name;
    }

    @Override
    public StoreBuilder<CommitHook> withCachingEnabled() {
      return this;
    }

    @Override
    public StoreBuilder<CommitHook> withCachingDisabled() {
      return this;
    }

    @Override
    public StoreBuilder<CommitHook> withLoggingEnabled(Map<String, String> config) {
      throw new UnsupportedOperationException("a commit hook has nothing to log");
    }

    @Override
    public StoreBuilder<CommitHook> withLoggingDisabled() {
      return this;
    }

    @Override
    public CommitHook build() {
      return new CommitHook(name);
    }

    @Override
    public Map<String, String> logConfig() {
      return Map.of();
    }

    @Override
    public boolean loggingEnabled() {
      return false;
    }

    @Override
    public String name() {
      return name;
    }
  }
}
