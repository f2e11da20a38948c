package io.servedrift.monitors.demo;

import static io.servedrift.monitors.page.Fixtures.FIVE;
import static io.servedrift.monitors.page.Fixtures.T0;
import static io.servedrift.monitors.page.Fixtures.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.page.Fixtures;
import io.servedrift.monitors.page.ReadModel;
import io.servedrift.monitors.page.ReadModelLimits;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TerminalTableTest {
  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private void fill() {
    model.apply(
        Fixtures.config(
            "c100000000000001",
            "{\"runtime\":{\"name\":\"sglang-diffusion\",\"version\":\"0.5.7\"},\"batching\":{\"mode\":\"continuous\",\"max_batch_size\":8}}"));
    double[] fixed = new double[1000];
    for (int i = 0; i < fixed.length; i++) {
      fixed[i] = (i + 1) / 100.0;
    }
    model.apply(Fixtures.window(key("c100000000000001", "latency"), T0, FIVE, fixed));
    model.apply(
        Fixtures.window(
            key("c100000000000001", "error_ratio"), T0, FIVE, new double[] {0, 0, 0, 1}));
    model.apply(
        Fixtures.window(key("c100000000000001", "clip"), T0, FIVE, new double[] {0.3, 0.31}));
    model.apply(Fixtures.window(key("c200000000000002", "latency"), T0, 120));
    model.apply(Fixtures.window(key("c300000000000003", "latency"), T0, 320));
  }

  @Test
  void showsIntervalOrInsufficient_perConfiguration() {
    fill();
    List<String> lines = TerminalTable.lines(model, FIVE, false);
    assertThat(lines.get(0)).isEqualTo("5m windows, latest to 2026-11-30T10:05:00Z");
    assertThat(lines).hasSize(5);
    assertThat(lines.get(2))
        .startsWith("sglang-diffusion 0.5.7, continuous 8 (c1000000)  flux-schnell r3  1000")
        .containsPattern("9\\.\\d\\d s \\[9\\.\\d\\d s\\.\\.9\\.\\d\\d s\\]")
        .contains("25.00 %")
        .endsWith("0.3050");
    assertThat(lines.get(3)).startsWith("c300000000000003").contains(">= ").contains("(n=320)");
    assertThat(lines.get(4)).startsWith("c200000000000002").contains("insufficient (n=120)");
  }

  @Test
  void writesPlainLines_whenThereIsNoTerminal() {
    fill();
    TerminalTable table = new TerminalTable(out, false, false);
    table.draw(model, FIVE, "http://127.0.0.1:8080");
    table.draw(model, FIVE, "");
    assertThat(text()).doesNotContain("\u001b").contains("http://127.0.0.1:8080\n\n");
  }

  @Test
  void redrawsInPlace_whenThereIsATerminal() {
    fill();
    TerminalTable table = new TerminalTable(out, true, true);
    table.draw(model, FIVE, "note");
    assertThat(text())
        .startsWith("\u001b[?7l5m windows")
        .endsWith("note\n\u001b[?7h")
        .doesNotContain("\u001b[J");
    table.draw(model, FIVE, "note");
    assertThat(text()).contains("\u001b[6A\u001b[J").doesNotContain("\u001b[1m");
    new TerminalTable(out, true, false).draw(model, FIVE, "");
    assertThat(text()).contains("\u001b[1mconfiguration");
  }

  @Test
  void keepsControlCharactersOut_whenNamesHoldThem() {
    model.apply(Fixtures.window(key("\u001b[2Jevil\n", "latency"), T0, 5));
    assertThat(TerminalTable.lines(model, FIVE, false).get(2)).startsWith("?[2Jevil?");
  }

  @Test
  void saysSo_whenNothingHasClosed() {
    assertThat(TerminalTable.lines(model, FIVE, false))
        .containsExactly("no 5m window has closed yet");
  }
}
