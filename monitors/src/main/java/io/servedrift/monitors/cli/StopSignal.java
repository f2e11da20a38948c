package io.servedrift.monitors.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the signal that ends a long-running command. The first one lets the command close its
 * parts in order; a second one ends the process at once. Thread-safe.
 */
final class StopSignal implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StopSignal.class);

  private final CompletableFuture<ExitCode> received = new CompletableFuture<>();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final List<Runnable> restore = new ArrayList<>();

  private StopSignal() {}

  /** Takes over SIGTERM (then the process ends with 0) and SIGINT (130). */
  static StopSignal install() {
    StopSignal signal = new StopSignal();
    signal.handle("TERM", ExitCode.DONE);
    signal.handle("INT", ExitCode.INTERRUPTED);
    return signal;
  }

  /**
   * Takes over both for work that ends by itself: a signal lets it end early, with what it has, and
   * the process exits with 130. Closing gives them back.
   */
  static StopSignal installForWork() {
    StopSignal signal = new StopSignal();
    signal.handle("TERM", ExitCode.INTERRUPTED);
    signal.handle("INT", ExitCode.INTERRUPTED);
    return signal;
  }

  /** Whether a signal has arrived. */
  boolean isStopped() {
    return received.isDone();
  }

  /** Gives the signals back to whom they belonged before. */
  @Override
  public void close() {
    restore.forEach(Runnable::run);
    restore.clear();
  }

  /**
   * Blocks until a signal arrives, {@link #stop} is called, or the time is over.
   *
   * @return what to exit with, or null when the time was over first
   */
  @Nullable ExitCode await(Duration time) throws InterruptedException {
    try {
      return received.get(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the wait for a signal cannot fail", e);
    }
  }

  /** Ends the wait from inside, for example when the work is done or cannot go on. */
  void stop(ExitCode code) {
    received.complete(code);
  }

  /**
   * The JDK offers signals only in {@code sun.misc}, which javac must not see under {@code
   * --release}; without that class the process still ends, only not in order.
   */
  private void handle(String name, ExitCode code) {
    try {
      Class<?> signalType = Class.forName("sun.misc.Signal");
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      InvocationHandler onSignal =
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> arguments != null && proxy == arguments[0];
                case "toString" -> "stop on SIG" + name;
                default -> {
                  signalled(code);
                  yield null;
                }
              };
      Object handler =
          Proxy.newProxyInstance(
              StopSignal.class.getClassLoader(), new Class<?>[] {handlerType}, onSignal);
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      Method handle = signalType.getMethod("handle", signalType, handlerType);
      Object before = handle.invoke(null, signal, handler);
      restore.add(() -> restore(handle, signal, before));
    } catch (ReflectiveOperationException e) {
      LOG.warn("SIG{} ends the process without an orderly stop: {}", name, e.toString());
    }
  }

  private static void restore(Method handle, Object signal, Object before) {
    try {
      handle.invoke(null, signal, before);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a handler that was there can be set again", e);
    }
  }

  private void signalled(ExitCode code) {
    if (stopping.getAndSet(true)) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
    }
    received.complete(code);
  }
}
