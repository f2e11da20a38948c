package io.servedrift.monitors.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The style sheet that every page of a report shares: colours that were measured for contrast and
 * colour-vision deficiencies, light, dark and printed. Stateless.
 */
public final class ReportStyle {
  private static final String FILE = "report.css";

  private ReportStyle() {}

  /**
   * The sheet.
   *
   * @throws IOException when it is missing from the class path
   */
  public static String css() throws IOException {
    try (InputStream in = ReportStyle.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IOException(FILE + ": not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
