package io.servedrift.monitors.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.policy.MetricPolicy.BaselineUse;
import io.servedrift.monitors.policy.MetricPolicy.NoData;
import io.servedrift.monitors.policy.MetricPolicy.SeverityCap;
import io.servedrift.monitors.policy.MetricPolicy.Worse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example that ships: its comments and its values must agree. */
class ExamplePolicyTest {

  private String text = "";
  private Policy example = Policy.defaults();

  @BeforeEach
  void read() throws IOException {
    text = Files.readString(Path.of("examples/policy.yaml"));
    example = Policy.parse(text, "policy.yaml");
  }

  @Test
  void saysNothingNewInLinesMarkedAsDefault() {
    List<String> lines = text.lines().toList();
    List<String> others = lines.stream().filter(line -> !line.endsWith("# default")).toList();

    assertThat(lines.size() - others.size()).isGreaterThan(20);
    assertThat(Policy.parse(String.join("\n", others), "policy.yaml")).isEqualTo(example);
  }

  @Test
  void hasEveryField() {
    List<String> fields =
        PolicyField.all().stream().map(PolicyField::key).collect(Collectors.toList());
    Arrays.stream(MetricField.values()).map(MetricField::key).forEach(fields::add);
    fields.addAll(PolicyField.PARTS);

    assertThat(fields)
        .allSatisfy(field -> assertThat(text).containsPattern("(?m)^[ -]*" + field + ":"));
  }

  @Test
  void saysWhatItsCommentsSay() {
    assertThat(example.baseline().pinned())
        .containsExactly(
            new PinnedRange(
                "image-gen",
                Optional.of("*"),
                Optional.empty(),
                Instant.parse("2026-10-31T23:00:00Z"),
                Instant.parse("2026-11-07T23:00:00Z")),
            new PinnedRange(
                "image-gen",
                Optional.of("9f31c2ab7d10e544"),
                Optional.of("1c22f0a9d3b84e17"),
                Instant.parse("2026-11-01T00:00:00Z"),
                Instant.parse("2026-11-08T00:00:00Z")));
    assertThat(example.metric("image-gen", "latency").critical()).isTrue();
    assertThat(example.metric("image-gen", "stage:decode").severityCap())
        .isEqualTo(SeverityCap.TICKET);
    assertThat(example.metric("image-gen", "stage:denoise").severityCap())
        .isEqualTo(SeverityCap.PAGE);
    assertThat(example.metric("image-gen", "json_valid").failure()).hasValue(0);
    assertThat(example.metric("image-gen", "json_valid").noData()).isEqualTo(NoData.PAGE);
    assertThat(example.metric("image-gen", "clip").minimumEffect()).isEqualTo(0.002);
    assertThat(example.metric("image-gen", "clip").pageEffect()).isEqualTo(0.005);
    assertThat(example.metric("image-gen", "clip").baseline()).isEqualTo(BaselineUse.PINNED);
    assertThat(example.metric("image-gen", "clip").eval()).hasValue("geneval/overall");
    assertThat(example.metric("image-gen", "debug_x").muted()).isTrue();
    assertThat(example.metric("batch-captions", "latency").severityCap())
        .isEqualTo(SeverityCap.TICKET);
    assertThat(example.metric("batch-captions", "clip").worse()).isEqualTo(Worse.BOTH);
    assertThat(example.falseAlarmsPerMonth("batch-captions")).isEqualTo(0.2);
    assertThat(example.falseAlarmsPerMonth("image-gen")).isEqualTo(1);
    assertThat(maintenance("image-gen", "2026-12-05T22:00:00Z")).contains("new racks");
    assertThat(maintenance("other", "2026-12-05T22:00:00Z")).isEmpty();
    assertThat(maintenance("other", "2026-12-06T01:00:00Z")).contains("backups");
    assertThat(maintenance("other", "2026-12-06T03:00:00Z")).isEmpty();
  }

  private Optional<String> maintenance(String deployment, String instant) {
    return example.maintenance(deployment, Instant.parse(instant).toEpochMilli() * 1000);
  }
}
