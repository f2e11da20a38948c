package io.servedrift.monitors.gate.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Side;
import io.servedrift.monitors.report.HeadlessBrowser;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Page and sheet in a real browser: nothing fails, nothing is fetched, all can be read. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatePageIT {
  @TempDir static Path dir;
  private HeadlessBrowser browser;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    write("passed", SampleResults.passed());
    write("failed", SampleResults.failed());
    write("insufficient", SampleResults.insufficient());
    write("hostile", SampleResults.hostile());
    browser = new HeadlessBrowser(dir.resolve("profile"));
  }

  private static void write(String name, GateResult result) throws IOException {
    Path folder = Files.createDirectory(dir.resolve(name));
    List<Answer> answers = new ArrayList<>();
    for (Side side : Side.values()) {
      String file = side.label() + ".png";
      BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
      image.createGraphics().fillRect(8, 8, side == Side.OLD ? 40 : 20, 40);
      ImageIO.write(image, "png", folder.resolve(file).toFile());
      answers.add(SampleResults.answer(side, 0, file, file));
    }
    GateReport.of(
            result,
            SampleResults.evidence(Modality.IMAGE, answers),
            List.of("a red circle " + SampleResults.MARKUP))
        .write(folder);
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private long number(String expression) throws InterruptedException {
    return browser.value(expression).asLong();
  }

  @ParameterizedTest
  @CsvSource({
    "passed, 1280, light",
    "failed, 1280, dark",
    "failed, 390, light",
    "insufficient, 390, dark",
    "hostile, 1280, light",
    "hostile, 390, light",
  })
  void isReadable(String name, int width, String colours) throws Exception {
    for (String file : List.of(GateReport.PAGE, GateReport.SHEET)) {
      Path page = dir.resolve(name).resolve(file);
      browser.open(page, width, colours);
      assertThat(browser.value(HeadlessBrowser.BAD_TEXTS)).isEmpty();
      assertThat(number("document.scrollingElement.scrollWidth")).isLessThanOrEqualTo(width);
      assertThat(browser.problems()).isEmpty();
      assertThat(browser.requests())
          .filteredOn(request -> !request.startsWith("data:"))
          .containsExactly(page.toUri().toString());
      assertThat(browser.value("typeof window.hacked").asText()).isEqualTo("undefined");
    }
  }

  @Test
  void drawsAnIntervalForEachMeasure() throws Exception {
    browser.open(dir.resolve("failed").resolve(GateReport.PAGE), 1280, "light");
    assertThat(number("document.querySelectorAll('svg.interval').length"))
        .isEqualTo(number("document.querySelectorAll('.measure').length"))
        .isEqualTo(7);
    assertThat(number("document.querySelectorAll('svg.interval.fail .bar').length")).isEqualTo(1);
    // Wholly beyond its margin: the bar ends left of it.
    assertThat(number("document.querySelector('svg.interval.fail .bar').x2.baseVal.value"))
        .isLessThan(number("document.querySelector('svg.interval.fail .margin').x1.baseVal.value"));
    // One that the page does not show has no size.
    assertThat(
            number(
                "[...document.querySelectorAll('svg.interval .point')]"
                    + ".filter(p => p.getBoundingClientRect().width > 5).length"))
        .isEqualTo(7);
    assertThat(
            number(
                "[...document.querySelectorAll('a')].filter(a => a.hash && "
                    + "!document.querySelector(a.hash)).length"))
        .isZero();
  }

  @Test
  void sheetGathersTheAnswers() throws Exception {
    browser.open(dir.resolve("passed").resolve(GateReport.SHEET), 1280, "light");
    assertThat(number("document.images.length")).isEqualTo(2);
    assertThat(number("[...document.images].filter(i => i.naturalWidth === 64).length"))
        .isEqualTo(2);
    browser.value("document.querySelector('input[value=right]').click()");
    assertThat(browser.value("document.getElementById('answers').value").asText())
        .isEqualTo("{\"run_id\":\"run-x\",\"answers\":{\"1\":\"right\"}}");
  }

  @Test
  void prints() throws Exception {
    browser.open(dir.resolve("failed").resolve(GateReport.PAGE), 1280, "dark");
    Path file = dir.resolve("gate.pdf");
    browser.print(file);
    assertThat(Files.readAllBytes(file)).startsWith("%PDF".getBytes(StandardCharsets.US_ASCII));
    assertThat(browser.problems()).isEmpty();
  }
}
