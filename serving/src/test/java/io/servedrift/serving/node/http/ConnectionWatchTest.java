package io.servedrift.serving.node.http;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.Test;

class ConnectionWatchTest {

  /** A connection whose other side has closed, or one that breaks in an unexpected way. */
  private static EndPoint endPoint(boolean broken) {
    return (EndPoint)
        Proxy.newProxyInstance(
            EndPoint.class.getClassLoader(),
            new Class<?>[] {EndPoint.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("fill") && !broken) {
                return -1;
              }
              throw new IllegalStateException("unexpected");
            });
  }

  @Test
  void watchesTheOthers_whenOneConnectionBreaksUnexpectedly() {
    try (ConnectionWatch watch = new ConnectionWatch()) {
      watch.watch(endPoint(true), () -> {});
      watch.start();
      await().until(() -> watch.size() == 0);
      AtomicBoolean gone = new AtomicBoolean();
      watch.watch(endPoint(false), () -> gone.set(true));

      await().until(gone::get);
    }
  }
}
