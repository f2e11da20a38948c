package io.servedrift.ingest.gateway;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection that tells while an answer is awaited that the client has gone. Jetty reads
 * nothing of an HTTP/1.1 connection between request and answer, so without this an abandoned image
 * would be computed to its end. Bytes that come instead - the next request of a pipeline - are kept
 * for whoever reads next, and end the watch.
 *
 * <p>{@link #watch} and {@link #unwatch} may be called from any thread; between them nobody else
 * reads.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {

  private static final int PEEK_BYTES = 1024;

  private final Executor executor;
  private final Object lock = new Object();
  private @Nullable Watch watch;
  private volatile @Nullable ByteBuffer peeked;

  WatchedEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Executor executor) {
    super(channel, selector, key, scheduler);
    this.executor = executor;
  }

  /** Runs {@code gone} on a selector's thread, at most once, when the client closes. */
  void watch(Runnable gone) {
    synchronized (lock) {
      if (watch == null && peeked == null) {
        Watch one = new Watch(gone);
        if (tryFillInterested(one)) {
          watch = one;
        }
      }
    }
  }

  /** Ends the watch; afterwards the connection may be read again. */
  void unwatch() {
    synchronized (lock) {
      if (watch != null) {
        watch = null;
        getFillInterest().onFail(new UnwatchedException());
      }
    }
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    ByteBuffer kept = peeked;
    if (kept == null) {
      return super.fill(buffer);
    }
    int position = BufferUtil.flipToFill(buffer);
    int moved = BufferUtil.put(kept, buffer);
    BufferUtil.flipToFlush(buffer, position);
    if (!kept.hasRemaining()) {
      peeked = null;
    }
    return moved;
  }

  @Override
  protected void needsFillInterest() {
    if (peeked == null) {
      super.needsFillInterest();
    } else {
      executor.execute(() -> getFillInterest().fillable());
    }
  }

  /** Looks what made the connection readable; true when it was its end. */
  private boolean ended(Watch one) {
    synchronized (lock) {
      if (watch != one) {
        return false;
      }
      ByteBuffer buffer = BufferUtil.allocate(PEEK_BYTES);
      int filled;
      try {
        filled = super.fill(buffer);
      } catch (IOException reset) {
        filled = -1;
      }
      if (filled == 0) {
        tryFillInterested(one);
        return false;
      }
      watch = null;
      if (filled > 0) {
        peeked = buffer;
      }
      return filled < 0;
    }
  }

  private boolean failed(Watch one) {
    synchronized (lock) {
      boolean mine = watch == one;
      if (mine) {
        watch = null;
      }
      return mine;
    }
  }

  private final class Watch implements Callback {

    private final Runnable gone;

    Watch(Runnable gone) {
      this.gone = gone;
    }

    @Override
    public void succeeded() {
      if (ended(this)) {
        gone.run();
      }
    }

    @Override
    public void failed(Throwable failure) {
      if (WatchedEndPoint.this.failed(this)) {
        gone.run();
      }
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }

  /** Only ends the waiting; nobody sees it. */
  private static final class UnwatchedException extends Exception {
    private static final long serialVersionUID = 1L;

    UnwatchedException() {
      super("the answer is complete", null, false, false);
    }
  }
}
