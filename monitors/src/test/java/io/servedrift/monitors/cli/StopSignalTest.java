package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StopSignalTest {

  /** The JDK's own class, which javac does not show. */
  private static final String SIGNAL = "sun.misc.Signal";

  @Test
  void noticesTheSignal_andGivesItBack() throws Exception {
    AtomicInteger before = new AtomicInteger();
    Object original = handle((proxy, method, arguments) -> answer(proxy, method, before));
    try {
      try (StopSignal signal = StopSignal.installForWork()) {
        assertThat(signal.isStopped()).isFalse();
        raise();
        await().until(signal::isStopped);
        assertThat(before).hasValue(0);
      }
      raise();
      await().until(() -> before.get() == 1);
    } finally {
      handle(original);
    }
  }

  private static Object answer(Object proxy, Method method, AtomicInteger count) {
    return switch (method.getName()) {
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "counts";
      case "equals" -> false;
      default -> {
        count.incrementAndGet();
        yield null;
      }
    };
  }

  private static Object handle(InvocationHandler handler) throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.SignalHandler");
    return handle(
        Proxy.newProxyInstance(
            StopSignalTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object handle(Object handler) throws ReflectiveOperationException {
    return Class.forName(SIGNAL)
        .getMethod("handle", Class.forName(SIGNAL), Class.forName("sun.misc.SignalHandler"))
        .invoke(null, interrupt(), handler);
  }

  private static void raise() throws ReflectiveOperationException {
    Class.forName(SIGNAL).getMethod("raise", Class.forName(SIGNAL)).invoke(null, interrupt());
  }

  private static Object interrupt() throws ReflectiveOperationException {
    return Class.forName(SIGNAL).getConstructor(String.class).newInstance("INT");
  }
}
