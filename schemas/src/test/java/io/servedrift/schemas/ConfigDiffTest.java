package io.servedrift.schemas;

import static io.servedrift.schemas.Given.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigDiffTest {
  @Test
  void listsWhatDiffers_byPath() {
    ConfigDiff diff =
        ConfigDiff.ofConfigs(
            json(
                "{'batching':{'max_batch_size':8,'mode':'static'},'cache':{'capacity':10},'colour':'red','extra':{'port':1}}"),
            json(
                "{'batching':{'max_batch_size':16,'mode':'static'},'extra':{'port':2,'policy':'lpm'},'colour':'red'}"));

    assertThat(diff.text())
        .isEqualTo(
            """
              batching.max_batch_size: 8 -> 16
            - cache.capacity: 10
            + extra.policy: "lpm"
              extra.port: 1 -> 2  (not counted)""");
    assertThat(diff.changesFingerprint()).isTrue();
  }

  @Test
  void saysNoDifference_whenOnlyOrderAndNumberFormDiffer() {
    ConfigDiff diff =
        ConfigDiff.ofConfigs(
            json("{'sampling':{'temperature':1.0,'top_p':0.5}}"),
            json("{'sampling':{'top_p':0.50,'temperature':1},'cache':{}}"));
    assertThat(diff.text()).isEqualTo("no difference");
    assertThat(diff.changes()).isEmpty();
  }

  @Test
  void leavesFingerprint_whenOnlyOtherLeavesDiffer() {
    ConfigDiff diff =
        ConfigDiff.ofModels(json("{'name':'a','path':'/1'}"), json("{'name':'a','path':'/2'}"));
    assertThat(diff.changesFingerprint()).isFalse();
    assertThat(diff.text()).isEqualTo("  path: \"/1\" -> \"/2\"  (not counted)");
  }

  @Test
  void neverShowsSecrets() {
    ConfigDiff diff =
        ConfigDiff.ofConfigs(
            json("{'extra':{'api_key':'abc'}}"), json("{'extra':{'api_key':'xyz'}}"));
    assertThat(diff.changes()).isEmpty();
  }
}
