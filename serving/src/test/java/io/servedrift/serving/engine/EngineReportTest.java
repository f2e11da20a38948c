package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineReportTest {

  /** By hand: one of four elements differs by 3; |a - b| / |b| is 3/5 and 0. */
  @Test
  void differenceIsByElementAndByRequest() {
    LatentDifference difference =
        LatentDifference.between(
            List.of(new float[] {0, 4}, new float[] {1, 1}),
            List.of(new float[] {3, 4}, new float[] {1, 1}));

    assertThat(difference.differing()).isEqualTo(0.25);
    assertThat(difference.largest()).isEqualTo(3);
    assertThat(difference.relative()).isCloseTo(0.3, within(1e-15));
  }

  @Test
  void printsEveryPrecisionAndFault() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new EngineReport(
            new PrintStream(bytes, true, StandardCharsets.UTF_8),
            EngineSettings.defaults(Requests.RANDOM_PIPELINE))
        .print();
    List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();

    // Equal to the last bit: the same again in every precision, other neighbours in fp32.
    assertThat(lines.stream().filter(line -> line.contains("run again")))
        .hasSize(3)
        .allMatch(line -> line.endsWith("0.0%  0.0e+00      0.0e+00"));
    // Dynamic quantisation has one scale for the batch: every element depends on the neighbours.
    assertThat(lines.stream().filter(line -> line.matches("int8 +first 2 .*")))
        .singleElement()
        .asString()
        .doesNotContain("0.0e+00");
    assertThat(lines.stream().filter(line -> line.matches("(fp32|bf16|int8)( +[0-9.]+){5}")))
        .hasSize(3);
    // Six steps each, and the distance is not zero.
    assertThat(lines.stream().filter(line -> line.matches("[a-z-]+ +([1-9]\\.[0-9]e-[0-9]+ ?){6}")))
        .hasSize(3);
  }
}
