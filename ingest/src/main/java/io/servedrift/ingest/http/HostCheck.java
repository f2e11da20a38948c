package io.servedrift.ingest.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.MisdirectedRequestResponse;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests whose {@code Host} names somebody else, with 421: a web page that points its own
 * name at this machine (DNS rebinding) could else read and write here from the visitor's browser.
 *
 * <p>Allowed are {@code localhost}, every IP address (rebinding needs a name), and the names given.
 * Thread-safe.
 */
public final class HostCheck implements Handler {

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]+(%25[\\w.]+)?]");

  private final Set<String> allowed = new HashSet<>(List.of("localhost"));

  /** Allows further host names, without port; upper and lower case are the same. */
  public HostCheck(Collection<String> names) {
    names.forEach(name -> allowed.add(canonical(name)));
  }

  @Override
  public void handle(Context ctx) {
    String host = ctx.header("Host");
    if (!allows(host)) {
      throw new MisdirectedRequestResponse(
          "Host: "
              + (host == null ? "none" : RequestBody.clip(host))
              + ": must be localhost, an IP address or one of the allowed host names",
          Map.of());
    }
  }

  boolean allows(@Nullable String hostHeader) {
    if (hostHeader == null) {
      return false;
    }
    String name = canonical(withoutPort(hostHeader.trim()));
    return allowed.contains(name) || IPV4.matcher(name).matches() || IPV6.matcher(name).matches();
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }

  private static String canonical(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
