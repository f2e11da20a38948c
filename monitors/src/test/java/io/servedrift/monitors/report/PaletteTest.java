package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The colours of the report: readable on their ground (WCAG 2.2 contrast), and baseline and shift,
 * better and worse told apart by readers with any of the three colour-vision deficiencies, as
 * Machado, Oliveira and Fernandes (2009, severity 1) simulate them.
 */
class PaletteTest {
  private static final double TEXT_CONTRAST = 4.5;
  private static final double GRAPHICS_CONTRAST = 3;

  /** Ten times the just noticeable difference of 2.3. */
  private static final double APART = 23;

  private static final double[][] NORMAL = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  private static final double[][] PROTAN = {
    {0.152286, 1.052583, -0.204868},
    {0.114503, 0.786281, 0.099216},
    {-0.003882, -0.048116, 1.051998}
  };
  private static final double[][] DEUTAN = {
    {0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}
  };
  private static final double[][] TRITAN = {
    {1.255528, -0.076749, -0.178779},
    {-0.078411, 0.930809, 0.147602},
    {0.004733, 0.691367, 0.303900}
  };

  /** Light, dark and print, in the order of the style sheet. */
  private static List<Map<String, String>> palettes() throws IOException {
    String style;
    try (InputStream in = ReportPage.class.getResourceAsStream("report.css")) {
      style = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<Map<String, String>> palettes = new ArrayList<>();
    Matcher root = Pattern.compile(":root \\{([^}]*)}").matcher(style);
    while (root.find()) {
      Map<String, String> colours = new HashMap<>();
      Matcher one = Pattern.compile("--(\\w+): (#[0-9a-f]{6});").matcher(root.group(1));
      while (one.find()) {
        colours.put(one.group(1), one.group(2));
      }
      palettes.add(colours);
    }
    return palettes;
  }

  @Test
  void textAndGraphicsStandOut_onEveryGround() throws IOException {
    assertThat(palettes()).hasSize(3);
    for (Map<String, String> colours : palettes()) {
      for (String ground : List.of("bg", "panel")) {
        for (String text : List.of("ink", "soft", "warn", "before")) {
          assertThat(contrast(colours.get(text), colours.get(ground)))
              .as("%s on %s of %s", text, ground, colours)
              .isGreaterThanOrEqualTo(TEXT_CONTRAST);
        }
        for (String graphics : List.of("now", "mark", "better", "worse")) {
          assertThat(contrast(colours.get(graphics), colours.get(ground)))
              .as("%s on %s of %s", graphics, ground, colours)
              .isGreaterThanOrEqualTo(GRAPHICS_CONTRAST);
        }
      }
    }
  }

  @Test
  void pairsAreToldApart_byEveryReader() throws IOException {
    for (Map<String, String> colours : palettes()) {
      for (double[][] eye : List.of(NORMAL, PROTAN, DEUTAN, TRITAN)) {
        for (String[] pair : new String[][] {{"before", "now"}, {"better", "worse"}}) {
          assertThat(distance(lab(colours.get(pair[0]), eye), lab(colours.get(pair[1]), eye)))
              .as("%s and %s of %s", pair[0], pair[1], colours)
              .isGreaterThan(APART);
        }
      }
    }
  }

  private static double[] linear(String colour) {
    double[] linear = new double[3];
    for (int i = 0; i < 3; i++) {
      double value = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
      linear[i] = value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }
    return linear;
  }

  private static double[] times(double[][] matrix, double[] vector) {
    double[] product = new double[3];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        product[i] += matrix[i][j] * vector[j];
      }
    }
    return product;
  }

  private static double contrast(String one, String other) {
    double first = luminance(one) + 0.05;
    double second = luminance(other) + 0.05;
    return Math.max(first, second) / Math.min(first, second);
  }

  private static double luminance(String colour) {
    double[] rgb = linear(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  }

  /** CIE L*a*b* under D65 of what an eye sees of a colour. */
  private static double[] lab(String colour, double[][] eye) {
    double[] seen = times(eye, linear(colour));
    for (int i = 0; i < 3; i++) {
      seen[i] = Math.max(0, Math.min(1, seen[i]));
    }
    double[] xyz =
        times(
            new double[][] {
              {0.4124564, 0.3575761, 0.1804375},
              {0.2126729, 0.7151522, 0.0721750},
              {0.0193339, 0.1191920, 0.9503041}
            },
            seen);
    double x = cubeRoot(xyz[0] / 0.95047);
    double y = cubeRoot(xyz[1]);
    double z = cubeRoot(xyz[2] / 1.08883);
    return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
  }

  private static double cubeRoot(double t) {
    return t > 216.0 / 24389 ? Math.cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }

  private static double distance(double[] first, double[] second) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += (first[i] - second[i]) * (first[i] - second[i]);
    }
    return Math.sqrt(sum);
  }
}
