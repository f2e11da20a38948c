package io.servedrift.monitors.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.servedrift.monitors.text.InlineHtml;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

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
            + InlineHtml.hash(between(html, "<style>", "</style>"))
            + "'; script-src '"
            + InlineHtml.hash(between(html, "<script>", "</script>"))
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
        .html(
            head
                + (guarded ? "null" : InlineHtml.json(JSON.writeValueAsString(api.first())))
                + tail);
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
}
