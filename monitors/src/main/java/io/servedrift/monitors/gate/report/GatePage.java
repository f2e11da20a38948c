package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.BarSentence;
import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.CheckState;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import io.servedrift.monitors.report.ReportStyle;
import io.servedrift.monitors.text.InlineHtml;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * The result as one page: no script, no network, pictures drawn as SVG beside their numbers. The
 * deciding sentence comes first, then the checks, then what they rest on. Its content policy lets
 * in its own style and nothing else. Pure functions but for reading the style.
 */
final class GatePage {
  private static final String STYLE = "gate.css";
  private static final String CONTROL = "aa_control";

  private GatePage() {}

  /**
   * The page as text.
   *
   * @param sheet whether the blinded sheet lies beside it
   * @throws IOException when the style is missing from the class path
   */
  static String of(GateResult result, boolean sheet) throws IOException {
    Html main = new Html();
    main.element(
        "main",
        "",
        page -> {
          summary(page, result);
          overview(page, result);
          control(page, result);
          result.checks().forEach(check -> check(page, check));
          GateTables.configurations(page, result);
          GateTables.tails(page, result);
          GateTables.costs(page, result);
          GateTables.coverage(page, result);
          GateTables.readiness(page, result);
          errors(page, result);
          GateTables.run(page, result, sheet);
        });
    return page("Release gate: " + result.outcome().label(), style(), "", main.toString());
  }

  /** The style of this page and the sheet. */
  static String style() throws IOException {
    try (InputStream in = GatePage.class.getResourceAsStream(STYLE)) {
      if (in == null) {
        throw new IOException(STYLE + ": not on the class path");
      }
      return ReportStyle.css() + new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * A page around its content.
   *
   * @param program script that runs on it; empty for none
   */
  static String page(String title, String style, String program, String content) {
    String policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '"
            + InlineHtml.hash(style)
            + "'"
            + (program.isEmpty() ? "" : "; script-src '" + InlineHtml.hash(program) + "'");
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta http-equiv=\"Content-Security-Policy\" content=\""
        + policy
        + "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<meta name=\"color-scheme\" content=\"light dark\">\n"
        + "<meta name=\"referrer\" content=\"no-referrer\">\n<title>"
        + Html.escaped(title)
        + "</title>\n<style>"
        + style
        + "</style>\n</head>\n<body>\n"
        + content
        + (program.isEmpty() ? "" : "\n<script>" + program + "</script>")
        + "\n</body>\n</html>\n";
  }

  private static void summary(Html page, GateResult result) {
    page.text("h1", "", "Release gate");
    page.element(
        "div",
        "decision " + result.outcome().label(),
        box -> {
          box.text("p", "lead", result.deciding().text());
          box.element(
              "p",
              "",
              line ->
                  line.text(
                          "span",
                          "state " + result.outcome().label(),
                          result.outcome().label().toUpperCase(Locale.ROOT))
                      .text(" " + result.why()));
        });
    list(page, result.deciding().because());
    BarSentence bar = result.bar();
    if (bar != null) {
      page.text("h2", "", "Against the quality bar");
      page.text("p", "lead", bar.text());
      measures(page, bar.scores());
    }
    if (!result.problems().isEmpty()) {
      page.text("h2", "", "What stands in the way of a verdict");
      list(page, result.problems());
    }
  }

  private static void overview(Html page, GateResult result) {
    page.text("h2", "", "Checks");
    page.element(
        "ul",
        "overview",
        list -> {
          overviewLine(list, CONTROL, result.control().state(), result.control().why());
          for (CheckResult check : result.checks()) {
            overviewLine(list, check.name().label(), check.state(), check.why());
          }
        });
  }

  private static void overviewLine(Html list, String name, CheckState state, String why) {
    list.element(
        "li",
        "",
        item -> {
          item.element("a", List.of("href", "#" + name), link -> link.text("b", "", heading(name)));
          item.text(" ");
          state(item, state);
          item.text("span", "soft", " " + why);
        });
  }

  private static String heading(String name) {
    return name.equals(CONTROL) ? "A/A control" : GateText.words(name);
  }

  private static void state(Html page, CheckState state) {
    page.text("span", "state " + state.label(), GateText.words(state.label()));
  }

  private static void control(Html page, GateResult result) {
    page.element(
        "section",
        List.of("id", CONTROL, "class", "check"),
        section -> {
          section.element(
              "h3",
              "",
              heading -> {
                heading.text(heading(CONTROL) + " ");
                state(heading, result.control().state());
              });
          section.text("p", "", result.control().why());
          section.text(
              "p",
              "soft small",
              "Each side against itself. Without a stable control nothing may be concluded.");
          measures(section, result.control().measures());
        });
  }

  private static void check(Html page, CheckResult check) {
    page.element(
        "section",
        List.of("id", check.name().label(), "class", "check"),
        section -> {
          section.element(
              "h3",
              "",
              heading -> {
                heading.text(GateText.words(check.name().label()) + " ");
                state(heading, check.state());
              });
          section.text("p", "", check.why());
          if (check.needed() != null) {
            section.text("p", "", "Would decide: n " + check.needed() + ".");
          }
          section.element(
              "p",
              "soft small",
              line -> {
                line.text("Catches ").text(check.name().catches()).text(". Evidence: ");
                line.text(check.name().evidence().label()).text(". Afterwards watched by: ");
                line.text(check.name().standingMonitor()).text(".");
                if (check.name().indispensable()) {
                  line.text(" The gate passes only when this check passes.");
                }
              });
          measures(section, check.measures());
        });
  }

  private static void errors(Html page, GateResult result) {
    if (!result.errors().isEmpty()) {
      page.text("h2", "", "Errors");
      measures(page, result.errors());
    }
  }

  private static void measures(Html page, List<Measure> measures) {
    page.element(
        "div",
        "measures",
        all -> {
          for (Measure measure : measures) {
            measure(all, measure);
          }
        });
  }

  private static void measure(Html page, Measure measure) {
    page.element(
        "div",
        "measure",
        row -> {
          row.element(
              "div",
              "what",
              what -> what.text(measure.name()).text("span", "soft small", " " + measure.of()));
          row.element("div", "plot", plot -> IntervalPlot.draw(plot, measure));
          row.element(
              "div",
              "numbers",
              numbers -> {
                numbers.text("b", "", GateText.estimate(measure));
                String margin = GateText.margin(measure);
                if (!margin.isEmpty()) {
                  numbers.text("span", "", ", " + margin);
                }
                numbers.text(" ");
                numbers.text("span", "state " + measure.state().label(), measure.state().label());
                numbers.text(
                    "span",
                    "soft small",
                    " "
                        + GateText.basis(measure)
                        + (measure.needed() == null ? "" : "; needs n " + measure.needed()));
              });
        });
  }

  private static void list(Html page, List<String> items) {
    if (!items.isEmpty()) {
      page.element("ul", "", list -> items.forEach(item -> list.text("li", "", item)));
    }
  }
}
