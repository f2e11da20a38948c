package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.text.InlineHtml;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * The page around a document: style, chart library (D3) and program in one file that needs no
 * network. The data are a JSON block that nothing can break out of, and reach the page only as
 * text; a content security policy lets run these two programs and nothing else. Pure functions.
 */
final class ReportPage {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LIBRARY = "/META-INF/resources/webjars/d3/";
  private static final String LIBRARY_VERSION = "/META-INF/maven/org.webjars.npm/d3/pom.properties";

  private ReportPage() {}

  /**
   * The page as text.
   *
   * @throws IOException when a part of it is missing from the class path
   */
  static String of(ObjectNode document) throws IOException {
    Properties library = new Properties();
    try (InputStream in = open(LIBRARY_VERSION)) {
      library.load(in);
    }
    String folder = LIBRARY + library.getProperty("version");
    String charts = read(folder + "/dist/d3.min.js");
    String licence = read(folder + "/LICENSE");
    String style = ReportStyle.css();
    String program = read("report.js");
    return read("report.html")
        .replace("@POLICY@", policy(style, charts, program))
        .replace("@STYLE@", style)
        .replace("@LIBRARY_VERSION@", library.getProperty("version"))
        .replace("@LICENCE@", escaped(licence))
        .replace("@LIBRARY@", charts)
        .replace("@PROGRAM@", program)
        .replace("@DATA@", InlineHtml.json(JSON.writeValueAsString(document)));
  }

  private static String policy(String style, String charts, String program) {
    return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '"
        + InlineHtml.hash(style)
        + "'; script-src '"
        + InlineHtml.hash(charts)
        + "' '"
        + InlineHtml.hash(program)
        + "'";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static InputStream open(String name) throws IOException {
    InputStream in = ReportPage.class.getResourceAsStream(name);
    if (in == null) {
      throw new IOException(name + ": not on the class path");
    }
    return in;
  }

  private static String read(String name) throws IOException {
    try (InputStream in = open(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
