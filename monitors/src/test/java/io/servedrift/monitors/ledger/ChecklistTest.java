package io.servedrift.monitors.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.servedrift.schemas.ConfigFingerprint;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChecklistTest {

  /** An axis that is added to the fingerprint without a reason fails here. */
  @Test
  void everyAxisThatCountsHasAReason_andNoOther() {
    assertThat(AxisReasons.config().keySet()).isEqualTo(ConfigFingerprint.configAxes());
    assertThat(AxisReasons.model().keySet()).isEqualTo(ConfigFingerprint.modelAxes());
  }

  @Test
  void theFormAsksForEveryAxis_andIsYaml() throws IOException {
    JsonNode form = new YAMLMapper().readTree(String.join("\n", Checklist.lines()));
    assertThat(leaves(form.path("config"))).isEqualTo(ConfigFingerprint.configAxes());
    assertThat(leaves(form.path("model"))).isEqualTo(ConfigFingerprint.modelAxes());
    assertThat(form.size()).isEqualTo(2);
  }

  @Test
  void everyAxisStandsBesideItsReason() {
    AxisReasons.config()
        .forEach(
            (axis, reason) -> {
              String leaf = axis.substring(axis.lastIndexOf('.') + 1);
              assertThat(Checklist.lines())
                  .as(axis)
                  .anyMatch(line -> line.strip().startsWith(leaf + ":") && line.endsWith(reason));
            });
  }

  private static Set<String> leaves(JsonNode node) {
    Set<String> leaves = new TreeSet<>();
    collect("", node, leaves);
    return leaves;
  }

  private static void collect(String path, JsonNode node, Set<String> into) {
    if (!node.isObject()) {
      into.add(path);
      return;
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      collect(
          path.isEmpty() ? member.getKey() : path + "." + member.getKey(), member.getValue(), into);
    }
  }
}
