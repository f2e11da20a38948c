package io.servedrift.monitors.page;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.servedrift.monitors.text.InlineHtml;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * {@code GET /runbook}: RUNBOOK.md of this very release as a page with an anchor for each heading,
 * so that the link in an alert leads to the section of that alert. It holds no data, so it asks for
 * no token. Thread-safe.
 */
public final class Runbook {
  /** Where it is served. */
  public static final String PATH = "/runbook";

  private static final String STYLE =
      """
      :root { color-scheme: light dark; }
      body { max-width: 46rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; \
      font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
      h3 { margin-top: 2.5rem; border-top: 1px solid #8884; padding-top: 1rem; }
      h3:target { background: #1f5fae22; }
      pre { overflow-x: auto; padding: .6rem .8rem; background: #8882; border-radius: 6px; }
      code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; }
      table { border-collapse: collapse; }
      th, td { text-align: left; vertical-align: top; border: 1px solid #8886; padding: .3rem .6rem; }
      """;

  private final String html;

  /**
   * Renders it.
   *
   * @throws UncheckedIOException when RUNBOOK.md is missing from the jar
   */
  public Runbook() {
    List<Extension> extensions = List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    Parser parser = Parser.builder().extensions(extensions).build();
    HtmlRenderer renderer = HtmlRenderer.builder().extensions(extensions).escapeHtml(true).build();
    this.html =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\""
            + " content=\"width=device-width, initial-scale=1\"><title>servedrift runbook</title>"
            + "<style>"
            + STYLE
            + "</style></head><body>\n"
            + renderer.render(parser.parse(text()))
            + "</body></html>\n";
  }

  /** Adds the page. */
  public void register(RoutesConfig routes) {
    routes.get(PATH, this::page);
  }

  private void page(Context ctx) {
    ctx.header(
            "Content-Security-Policy",
            Page.NOTHING + "; style-src '" + InlineHtml.hash(STYLE) + "'")
        .html(html);
  }

  private static String text() {
    try (InputStream in = Runbook.class.getResourceAsStream("RUNBOOK.md")) {
      if (in == null) {
        throw new IOException("RUNBOOK.md: not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
