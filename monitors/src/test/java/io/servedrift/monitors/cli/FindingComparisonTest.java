package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingComparisonTest {
  @TempDir Path dir;

  private FindingComparison compare(String before, String now) throws Exception {
    Path left = Files.writeString(dir.resolve("before.ndjson"), before);
    Path right = Files.writeString(dir.resolve("now.ndjson"), now);
    return FindingComparison.of(FindingFile.read(left), FindingFile.read(right));
  }

  @Test
  void comparesTheLastStateOfEachFinding_whateverThePolicyIsCalled() throws Exception {
    FindingComparison compared =
        compare(
            """
            {"finding_id":"same","state":"open","policy_hash":"p1"}
            {"finding_id":"same","state":"closed","policy_hash":"p1"}
            {"finding_id":"gone","state":"open"}
            {"finding_id":"other","effect":{"value":1.0}}
            {"schema_version":1,"findings":3}
            """,
            """
            {"finding_id":"same","state":"closed","policy_hash":"p2"}

            {"finding_id":"other","effect":{"value":2.0}}
            {"finding_id":"new","state":"open"}
            """);
    assertThat(compared.added()).containsExactly("new");
    assertThat(compared.gone()).containsExactly("gone");
    assertThat(compared.changed()).containsExactly("other");
    assertThat(compared.isEqual()).isFalse();
    assertThat(compared.lines()).containsExactly("added    new", "gone     gone", "changed  other");
  }

  @Test
  void ignoresWhatWasKnownOfConfigurations() throws Exception {
    assertThat(
            compare(
                    """
                    {"finding_id":"a","changed_axes":["precision"]}
                    {"finding_id":"b","changed_axes":[]}
                    """,
                    """
                    {"finding_id":"a","changed_axes":[]}
                    {"finding_id":"b"}
                    """)
                .isEqual())
        .isTrue();
  }

  @Test
  void saysThatFindingsAreEqual_andRefusesWhatIsNoFinding() throws Exception {
    assertThat(compare("{\"finding_id\":\"a\"}\n", "{\"finding_id\":\"a\"}\n").isEqual()).isTrue();
    assertThatThrownBy(() -> compare("[1]\n", "")).hasMessageContaining("line 1");
  }
}
