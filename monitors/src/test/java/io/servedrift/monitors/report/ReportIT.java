package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.testkit.FaultLibrary;
import io.servedrift.monitors.testkit.Scenario;
import io.servedrift.monitors.testkit.SimulatorSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The report in a real browser: nothing fails, nothing is fetched, no text covers another. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportIT {
  @TempDir static Path dir;
  private HeadlessBrowser browser;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    Duration onset = Duration.ofMinutes(70);
    RunRecorder shifted =
        RecordedRun.of(
            Scenario.of(
                SimulatorSettings.image(1, Duration.ofMinutes(100)),
                FaultLibrary.cacheHitsLoseClip(onset, 0.03),
                FaultLibrary.largeBatchesSlow(onset, 4, 0.5, 3)));
    assertThat(shifted.findings()).isNotEmpty();
    write("shifted", shifted);
    write("hostile", HostileRun.recorded());
    write("empty", new RunRecorder(new MetricLayouts(), any -> true));
    browser = new HeadlessBrowser(dir.resolve("profile"));
  }

  private void write(String name, RunRecorder run) throws IOException {
    OutputLinks links = OutputLinks.of("https://store.example/{request_id}.png");
    Report.of(run, RecordedRun.facts(links, Map.of())).write(dir.resolve(name));
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private Path open(String name, int width, String colours) throws InterruptedException {
    Path page = dir.resolve(name).resolve(Report.PAGE);
    browser.open(page, width, colours);
    return page;
  }

  private void openDetails() throws InterruptedException {
    browser.value("document.querySelectorAll('details').forEach(d => { d.open = true; })");
  }

  private long number(String expression) throws InterruptedException {
    return browser.value(expression).asLong();
  }

  @ParameterizedTest
  @CsvSource({
    "shifted, 1280, light",
    "shifted, 1280, dark",
    "shifted, 400, light",
    "shifted, 400, dark",
    "hostile, 1280, light",
    "hostile, 400, dark",
    "empty, 1280, light",
    "empty, 400, dark",
  })
  void isReadable(String name, int width, String colours) throws Exception {
    Path page = open(name, width, colours);
    assertThat(number("innerWidth")).isEqualTo(width);
    assertThat(browser.value("matchMedia('(prefers-color-scheme: dark)').matches").asBoolean())
        .isEqualTo(colours.equals("dark"));
    openDetails();
    assertThat(browser.value(HeadlessBrowser.BAD_TEXTS)).isEmpty();
    assertThat(number("document.scrollingElement.scrollWidth")).isLessThanOrEqualTo(width);
    assertThat(browser.problems()).isEmpty();
    assertThat(browser.requests()).containsExactly(page.toUri().toString());
  }

  @ParameterizedTest
  @CsvSource({"1280", "400"})
  void showsWhatMoved_andTheCharts(int width) throws Exception {
    open("shifted", width, "light");
    String text = browser.value("document.body.innerText").asText();
    assertThat(text).contains("Summary", "Cause: cache", "How to get this again");
    long findings = number("document.querySelectorAll('.finding').length");
    assertThat(findings).isPositive();
    assertThat(number("document.querySelectorAll('.card').length")).isEqualTo(findings);
    assertThat(number("document.querySelectorAll('table.heat').length")).isEqualTo(findings);
    assertThat(number("document.querySelectorAll('.histogram').length")).isEqualTo(findings);
    assertThat(number("document.querySelectorAll('.falls').length")).isEqualTo(findings);
    assertThat(number("document.querySelectorAll('.line.before').length")).isGreaterThan(findings);
    assertThat(number("document.querySelectorAll('svg [d*=NaN], svg [x*=NaN]').length")).isZero();
    assertThat(number("document.querySelectorAll('a[href^=\"https://store.example/\"]').length"))
        .isPositive();
  }

  @ParameterizedTest
  @CsvSource({"1280", "400"})
  void showsHostileNamesAsText(int width) throws Exception {
    open("hostile", width, "light");
    assertThat(browser.value("typeof window.hacked").asText()).isEqualTo("undefined");
    assertThat(number("document.querySelectorAll('img').length")).isZero();
    assertThat(number("document.scripts.length")).isEqualTo(3);
    JsonNode title = browser.value("document.querySelector('.card a').textContent");
    assertThat(title.asText()).startsWith(HostileRun.MARKUP + ": clip");
    assertThat(number("[...document.links].filter(a => !/^(https:|file:)/.test(a.href)).length"))
        .isZero();
  }

  /** The measure of {@link #isReadable} would see what it looks for. */
  @Test
  void seesTextsThatCoverEachOther_andThoseCutOff() throws Exception {
    open("shifted", 1280, "light");
    openDetails();
    browser.value("document.querySelector('h2').style.marginTop = '-40px'");
    browser.value("document.querySelector('svg text').setAttribute('x', -50)");
    assertThat(browser.value(HeadlessBrowser.BAD_TEXTS).toString())
        .contains("Summary | ")
        .contains("cut off: ");
  }

  @ParameterizedTest
  @CsvSource({"shifted", "empty"})
  void prints(String name) throws Exception {
    open(name, 1280, "dark");
    Path file = dir.resolve(name + ".pdf");
    browser.print(file);
    assertThat(Files.readAllBytes(file)).startsWith("%PDF".getBytes(StandardCharsets.US_ASCII));
    assertThat(browser.problems()).isEmpty();
    assertThat(number("document.querySelectorAll('main details[open]').length")).isZero();
  }
}
