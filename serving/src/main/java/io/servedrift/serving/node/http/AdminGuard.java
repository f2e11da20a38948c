package io.servedrift.serving.node.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;

/**
 * Lets calls of {@code /admin/*} pass that come from this machine, from no browser and through no
 * proxy: the address is loopback, no header of a proxy is there, no {@code Origin}, which browsers
 * send with every post, and there is a header of our own, which neither a form of a web page nor a
 * proxy's usual request has. A proxy that hides itself and passes everything on is not noticed.
 * Thread-safe.
 */
final class AdminGuard implements Handler {

  /** The header that must be there, with any value. */
  static final String OWN_HEADER = "X-Servedrift-Admin";

  private static final Set<String> PROXY_HEADERS = Set.of("forwarded", "via", "x-real-ip");
  private static final String PROXY_PREFIX = "x-forwarded-";

  @Override
  public void handle(Context ctx) {
    boolean forwarded = ctx.headerMap().keySet().stream().anyMatch(AdminGuard::isOfProxy);
    if (forwarded || !isLoopback(ctx.req().getRemoteAddr())) {
      throw ApiException.refused(
          403, "loopback_only", "administration: must be called from this machine itself");
    }
    if (ctx.header("Origin") != null) {
      throw ApiException.refused(
          403, "no_browsers", "administration: must not be called by a web page");
    }
    if (ctx.header(OWN_HEADER) == null) {
      throw ApiException.refused(
          403, "header_missing", "administration: needs the header " + OWN_HEADER + ", any value");
    }
  }

  private static boolean isOfProxy(String header) {
    String name = header.toLowerCase(Locale.ROOT);
    return PROXY_HEADERS.contains(name) || name.startsWith(PROXY_PREFIX);
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
