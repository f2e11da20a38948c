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
final class StopSignal {

  private static final Logger LOG = LoggerFactory.getLogger(StopSignal.class);

  private final CompletableFuture<ExitCode> received = new CompletableFuture<>();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final List<Runnable> before = new ArrayList<>();

  private StopSignal() {}

  /** Takes over SIGTERM (then the process ends with 0) and SIGINT (130). */
  static StopSignal install() {
    StopSignal signal = new StopSignal();
    signal.handle("TERM", ExitCode.DONE);
    signal.handle("INT", ExitCode.INTERRUPTED);
    return signal;
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

  /**
   * Ends work that looks here now and then.
   *
   * @throws CommandFailure with {@link ExitCode#INTERRUPTED} once a signal has arrived
   */
  void check() {
    if (received.isDone()) {
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", null);
    }
  }

  /**
   * Runs work that calls {@link #check}.
   *
   * @return whether it came to its own end
   */
  boolean completes(Runnable work) {
    try {
      work.run();
      return true;
    } catch (CommandFailure e) {
      if (e.exitCode() == ExitCode.INTERRUPTED) {
        return false;
      }
      throw e;
    }
  }

  /** Gives the signals back to what handled them before. */
  void restore() {
    before.forEach(Runnable::run);
    before.clear();
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
      Object earlier = handle.invoke(null, signal, handler);
      before.add(() -> handleAgain(handle, signal, earlier));
    } catch (ReflectiveOperationException e) {
      LOG.warn("SIG{} ends the process without an orderly stop: {}", name, e.toString());
    }
  }

  private static void handleAgain(Method handle, Object signal, Object earlier) {
    try {
      handle.invoke(null, signal, earlier);
    } catch (ReflectiveOperationException e) {
      LOG.warn("{} cannot be handed back: {}", signal, e.toString());
    }
  }

  private void signalled(ExitCode code) {
    if (stopping.getAndSet(true)) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
    }
    received.complete(code);
  }
}
