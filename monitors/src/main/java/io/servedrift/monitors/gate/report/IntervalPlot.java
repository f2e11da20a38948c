package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.Measure;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A measure as a small picture: its interval as a bar with the estimate on it, and the margin as a
 * dashed line; where no difference would lie (0 of a score, 1 of a ratio) a thin one. The numbers
 * stand beside it in words, so the picture is hidden from screen readers. Pure functions.
 */
final class IntervalPlot {
  private static final double WIDTH = 260;
  private static final double HEIGHT = 26;
  private static final double PAD = 8;

  private IntervalPlot() {}

  /** Draws it; nothing when there is no estimate. */
  static void draw(Html page, Measure measure) {
    Double value = finite(measure.value());
    if (value == null) {
      return;
    }
    Double low = finite(measure.low());
    Double high = finite(measure.high());
    Double margin = finite(measure.margin());
    Double none = noDifference(measure.unit());
    Scale scale = Scale.of(value, low, high, margin, none);
    page.element(
        "svg",
        List.of(
            "viewBox", "0 0 " + number(WIDTH) + " " + number(HEIGHT),
            "class", "interval " + measure.state().label(),
            "aria-hidden", "true"),
        svg -> {
          if (none != null) {
            line(svg, "zero", scale.x(none), 3, scale.x(none), HEIGHT - 3);
          }
          boolean interval = measure.low() != null || measure.high() != null;
          if (interval) {
            // A limit that does not exist: the bar goes on to the edge.
            line(
                svg,
                "bar",
                low == null ? 0 : scale.x(low),
                HEIGHT / 2,
                high == null ? WIDTH : scale.x(high),
                HEIGHT / 2);
          }
          if (margin != null) {
            line(svg, "margin", scale.x(margin), 0, scale.x(margin), HEIGHT);
          }
          svg.empty(
              "circle",
              List.of(
                  "class",
                  "point",
                  "cx",
                  number(scale.x(value)),
                  "cy",
                  number(HEIGHT / 2),
                  "r",
                  "4.5"));
        });
  }

  private static void line(Html svg, String kind, double x1, double y1, double x2, double y2) {
    svg.empty(
        "line",
        List.of(
            "class", kind,
            "x1", number(x1),
            "y1", number(y1),
            "x2", number(x2),
            "y2", number(y2)));
  }

  private static @Nullable Double noDifference(String unit) {
    return switch (unit) {
      case "ratio" -> 1.0;
      case "share", "s", "dB" -> null;
      default -> 0.0;
    };
  }

  private static @Nullable Double finite(@Nullable Double value) {
    return value == null || !Double.isFinite(value) ? null : value;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** From values to places; all that is drawn lies inside. */
  private record Scale(double from, double to) {

    static Scale of(
        double value,
        @Nullable Double low,
        @Nullable Double high,
        @Nullable Double margin,
        @Nullable Double none) {
      DoubleStream.Builder all = DoubleStream.builder().add(value);
      for (Double one : new Double[] {low, high, margin, none}) {
        if (one != null) {
          all.add(one);
        }
      }
      double[] drawn = all.build().sorted().toArray();
      double least = drawn[0];
      double most = drawn[drawn.length - 1];
      return most > least ? new Scale(least, most) : new Scale(least - .5, most + .5);
    }

    double x(double value) {
      return PAD + (WIDTH - 2 * PAD) * (value - from) / (to - from);
    }
  }
}
