package io.servedrift.monitors.gate.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Side;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What the files say, and that no name in them becomes more than a name. */
class GateReportTest {
  @TempDir Path folder;

  private static GateReport report(GateResult result) {
    return GateReport.of(result, SampleResults.evidence(Modality.IMAGE, List.of()), List.of());
  }

  private static Document xml(GateResult result) throws Exception {
    byte[] bytes = report(result).junit().getBytes(StandardCharsets.UTF_8);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(bytes));
  }

  private static List<String> casesWith(Document xml, String element) {
    List<String> names = new ArrayList<>();
    NodeList cases = xml.getElementsByTagName("testcase");
    for (int i = 0; i < cases.getLength(); i++) {
      Element one = (Element) cases.item(i);
      if (one.getElementsByTagName(element).getLength() > 0) {
        names.add(one.getAttribute("name"));
      }
    }
    return names;
  }

  @Test
  void documentHasEveryNumberWithItsBasis() {
    JsonNode document = report(SampleResults.failed()).document();

    assertThat(document.fieldNames().next()).isEqualTo("schema_version");
    assertThat(document.path("schema_version").asInt()).isEqualTo(1);
    assertThat(document.path("outcome").asText()).isEqualTo("fail");
    assertThat(document.path("exit_code").asInt()).isEqualTo(10);
    assertThat(document.at("/deciding/verdict").asText()).isEqualTo("batching_or_caching");
    assertThat(document.at("/bar").isNull()).isTrue();
    assertThat(document.path("checks")).hasSize(CheckName.values().length);
    JsonNode check = document.at("/checks/1");
    assertThat(check.path("name").asText()).isEqualTo("batch_composition");
    assertThat(check.path("state").asText()).isEqualTo("fail");
    assertThat(check.path("evidence").asText()).isEqualTo("observed_pattern");
    assertThat(check.path("required").asBoolean()).isFalse();
    JsonNode measure = check.at("/measures/0");
    assertThat(measure.path("value").asDouble()).isEqualTo(-.0215);
    assertThat(measure.path("low").asDouble()).isEqualTo(-.0243);
    assertThat(measure.path("high").asDouble()).isEqualTo(-.0187);
    assertThat(measure.path("level").asDouble()).isEqualTo(.9);
    assertThat(measure.path("n").asLong()).isEqualTo(320);
    assertThat(measure.path("margin").asDouble()).isEqualTo(-.003);
    // What does not exist is null, not 0 and not a word that JSON does not have.
    assertThat(check.at("/measures/1/high").isNull()).isTrue();
    assertThat(document.at("/tails/0/p99_high_seconds").asDouble()).isEqualTo(1.62);
    assertThat(document.at("/tails/1/p99_seconds").isNull()).isTrue();
    assertThat(document.at("/costs/1/answers_per_second").isNull()).isTrue();
    assertThat(document.at("/coverage/share").asDouble()).isEqualTo(.874);
    assertThat(document.at("/old/weights_digest").asText()).isEqualTo("sha256:cd2b");
  }

  @Test
  void documentUsesSnakeCaseOnly() {
    Set<String> names = new HashSet<>();
    names(report(SampleResults.passed()).document(), names);
    assertThat(names).hasSizeGreaterThan(60).allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
  }

  private static void names(JsonNode node, Set<String> into) {
    node.fieldNames().forEachRemaining(into::add);
    node.forEach(child -> names(child, into));
  }

  @Test
  void junitIsRed_whenSomethingFailed() throws Exception {
    Document xml = xml(SampleResults.failed());

    assertThat(casesWith(xml, "failure")).containsExactly("gate", "batch_composition");
    assertThat(casesWith(xml, "error")).isEmpty();
    assertThat(casesWith(xml, "skipped")).containsExactly("cache_parity");
    Element suite = (Element) xml.getElementsByTagName("testsuite").item(0);
    assertThat(suite.getAttribute("tests")).isEqualTo("8");
    assertThat(suite.getAttribute("failures")).isEqualTo("2");
    assertThat(suite.getAttribute("errors")).isEqualTo("0");
    assertThat(suite.getAttribute("skipped")).isEqualTo("1");
    // Not known is not 0.
    assertThat(suite.hasAttribute("time")).isFalse();
  }

  @Test
  void junitIsNotGreen_whenEvidenceIsInsufficient() throws Exception {
    Document xml = xml(SampleResults.insufficient());

    assertThat(casesWith(xml, "error")).containsExactly("gate", "batch_composition");
    assertThat(casesWith(xml, "failure")).isEmpty();
    assertThat(((Element) xml.getElementsByTagName("testsuites").item(0)).getAttribute("errors"))
        .isEqualTo("2");
  }

  @Test
  void junitIsGreen_whenTheGatePassed() throws Exception {
    Document xml = xml(SampleResults.passed());

    assertThat(casesWith(xml, "failure")).isEmpty();
    assertThat(casesWith(xml, "error")).isEmpty();
  }

  @Test
  void junitHoldsHostileNamesAsText() throws Exception {
    Document xml = xml(SampleResults.hostile());

    assertThat(xml.getElementsByTagName("script").getLength()).isZero();
    Element failure = (Element) xml.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message"))
        .isEqualTo(SampleResults.MARKUP.replace('\u0000', '?'));
  }

  @Test
  void markdownLeadsWithTheSentence_andHasARowForEachCheck() {
    String text = report(SampleResults.failed()).markdown();

    assertThat(text).startsWith("## Release gate: FAIL\n\n**batching or caching moved it**");
    for (CheckName check : CheckName.values()) {
      assertThat(text).contains("| `" + check.label() + "` | ");
    }
    assertThat(text).contains("\\-0.0215 \\[\\-0.0243, \\-0.0187\\] | 320 | \\-0.003 |");
    assertThat(text).contains("| insufficient |");
  }

  @Test
  void markdownHoldsHostileNamesAsText() {
    String text = report(SampleResults.hostile()).markdown();

    String unescaped = text.replaceAll("\\\\.", "");
    assertThat(unescaped).doesNotContain("<").doesNotContain("](").doesNotContain("`@");
    assertThat(text).doesNotContain("@someone").doesNotContain("\u2028");
    assertThat(text.lines().filter(line -> line.startsWith("| `batch_composition`")))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row.replaceAll("\\\\.", "").chars().filter(c -> c == '|').count())
                    .isEqualTo(6));
  }

  @Test
  void pageEscapesEveryName() throws IOException {
    report(SampleResults.hostile()).write(folder);
    String page = Files.readString(folder.resolve(GateReport.PAGE));

    assertThat(page).doesNotContain("<script").doesNotContain("<img").doesNotContain("\u0000");
    assertThat(page).contains("&lt;script&gt;window.hacked=1");
    assertThat(page).contains("default-src 'none'").doesNotContain("script-src");
  }

  @Test
  void pageLeadsWithTheDecidingSentence() throws IOException {
    report(SampleResults.failed()).write(folder);
    String page = Files.readString(folder.resolve(GateReport.PAGE));

    assertThat(page.indexOf("batching or caching moved it"))
        .isPositive()
        .isLessThan(page.indexOf("FAIL"));
    assertThat(page)
        .contains("Catches outputs that depend on which requests share the batch")
        .contains("Evidence: benchmark")
        .contains("Afterwards watched by: scores by batch-size cell");
    assertThat(folder.resolve(GateReport.SHEET)).doesNotExist();
  }

  @Test
  void sheetTellsNobodyWhoMadeWhat_butItsKeyDoes() throws IOException {
    List<Answer> answers = new ArrayList<>();
    for (int prompt = 0; prompt < 12; prompt++) {
      for (Side side : Side.values()) {
        String file = side.label() + "-" + prompt + ".png";
        image(folder.resolve(file), side == Side.OLD ? 10 + prompt : 200 + prompt);
        answers.add(SampleResults.answer(side, prompt, side.label() + prompt, file));
      }
    }
    answers.add(SampleResults.answer(Side.OLD, 50, "same", "old-0.png"));
    answers.add(SampleResults.answer(Side.NEW, 50, "same", "new-0.png"));
    GateReport.of(
            SampleResults.passed(),
            SampleResults.evidence(Modality.IMAGE, answers),
            List.of(SampleResults.MARKUP))
        .write(folder);

    String page = Files.readString(folder.resolve(GateReport.SHEET));
    assertThat(page).doesNotContain("old-").doesNotContain("new-").doesNotContain("<img src=x");
    assertThat(page.split("data:image/png;base64,", -1)).hasSize(1 + 24);
    JsonNode key =
        new ObjectMapper().readTree(Files.readString(folder.resolve(GateReport.SHEET_KEY)));
    assertThat(key.path("identical_left_out").asInt()).isEqualTo(1);
    assertThat(key.path("pairs")).hasSize(12);
    Set<String> left = new HashSet<>();
    for (JsonNode pair : key.path("pairs")) {
      assertThat(Set.of(pair.path("left").asText(), pair.path("right").asText()))
          .containsExactlyInAnyOrder("old", "new");
      left.add(pair.path("left").asText());
    }
    assertThat(left).containsExactlyInAnyOrder("old", "new");
    // What the key calls left is what the page shows first.
    JsonNode first = key.at("/pairs/0");
    String file = first.path("left").asText() + "-" + first.path("prompt").asInt() + ".png";
    String shown = new KeptOutputs(folder).image(file).orElseThrow();
    assertThat(page.indexOf(shown)).isPositive();
    assertThat(page.substring(0, page.indexOf(shown))).doesNotContain("data:image/png");
  }

  @Test
  void sheetTakesNothingFromOutsideTheFolder_andNothingThatIsNoImage() throws IOException {
    Path run = Files.createDirectory(folder.resolve("run"));
    image(folder.resolve("outside.png"), 1);
    Files.writeString(run.resolve("page.png"), "<html>");
    KeptOutputs kept = new KeptOutputs(run);

    assertThat(kept.image("../outside.png")).isEmpty();
    assertThat(kept.image(folder.resolve("outside.png").toString())).isEmpty();
    assertThat(kept.image("page.png")).isEmpty();
    assertThat(kept.image("missing.png")).isEmpty();
  }

  private static void image(Path file, int colour) throws IOException {
    BufferedImage image = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
    image.setRGB(3, 3, colour);
    ImageIO.write(image, "png", file.toFile());
  }
}
