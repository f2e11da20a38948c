package io.servedrift.serving.node.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Lets calls of {@code /admin/*} pass that come from this machine and from no browser: the address
 * is loopback, no proxy speaks for somebody else, and there is no {@code Origin}, which browsers
 * send with every post. Thread-safe.
 */
final class AdminGuard implements Handler {

  @Override
  public void handle(Context ctx) {
    boolean forwarded = ctx.header("Forwarded") != null || ctx.header("X-Forwarded-For") != null;
    if (forwarded || !isLoopback(ctx.req().getRemoteAddr())) {
      throw ApiException.refused(
          403, "loopback_only", "administration: must be called from this machine itself");
    }
    if (ctx.header("Origin") != null) {
      throw ApiException.refused(
          403, "no_browsers", "administration: must not be called by a web page");
    }
  }

  private static boolean isLoopback(String address) {
    try {
      // An address, not a name: nothing is looked up.
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
