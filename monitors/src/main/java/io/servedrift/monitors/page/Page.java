package io.servedrift.monitors.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * {@code GET /}: one self-contained HTML page over the API, and the security headers of every
 * answer. The page carries its first data as a JSON block and refreshes itself by fetch; names
 * reach it only as text. Thread-safe.
 */
public final class Page {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FIRST = "/*FIRST*/";

  /** The content policy of an answer that loads nothing. */
  static final String NOTHING =
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  private final Api api;
  private final boolean guarded;
  private final String head;
  private final String tail;
  private final String policy;

  /**
   * A page over this API.
   *
   * @param guarded the API asks for a token: the page itself, which does not, then holds no data
   * @throws UncheckedIOException when the page is missing from the jar
   */
  public Page(Api api, boolean guarded) {
    this.api = api;
    this.guarded = guarded;
    String html = load();
    int at = html.indexOf(FIRST);
    this.head = html.substring(0, at);
    this.tail = html.substring(at + FIRST.length());
    this.policy =
        NOTHING
            + "; connect-src 'self'; style-src '"
            + hash(between(html, "<style>", "</style>"))
            + "'; script-src '"
            + hash(between(html, "<script>", "</script>"))
            + "'";
  }

  /** Adds the page, and the security headers to every answer of this server. */
  public void register(RoutesConfig routes) {
    routes.before(Page::secure);
    routes.get("/", this::page);
  }

  private static void secure(Context ctx) {
    ctx.header("X-Content-Type-Options", "nosniff")
        .header("Content-Security-Policy", NOTHING)
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Resource-Policy", "same-origin");
  }

  private void page(Context ctx) throws IOException {
    ctx.header("Content-Security-Policy", policy)
        .header("Cache-Control", "no-store")
        .html(head + (guarded ? "null" : block(api.first())) + tail);
  }

  /** JSON for a script element: no name can end the element or open another, whatever it holds. */
  static String block(ObjectNode data) throws IOException {
    return JSON.writeValueAsString(data)
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029");
  }

  private static String load() {
    try (InputStream in = Page.class.getResourceAsStream("page.html")) {
      if (in == null) {
        throw new IOException("page.html: not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String between(String text, String open, String close) {
    int start = text.indexOf(open) + open.length();
    return text.substring(start, text.indexOf(close, start));
  }

  /** What names an inline style or script in a content policy. */
  static String hash(String content) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is part of every Java runtime", e);
    }
  }
}
