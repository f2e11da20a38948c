package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class FindingMemoryTest {
  private static ObjectNode finding(String id, String state) {
    return JsonNodeFactory.instance.objectNode().put("finding_id", id).put("state", state);
  }

  @Test
  void keepsTheLastStateOfTheFirst_andTheHashOfAll() {
    FindingMemory memory = new FindingMemory();
    int all = FindingMemory.MOST_SHOWN + 5;
    for (int i = 0; i < all; i++) {
      memory.put(finding("f-" + i, "open"));
    }
    memory.put(finding("f-0", "closed"));
    memory.put(finding("f-" + (all - 1), "closed"));
    assertThat(memory.size()).isEqualTo(all);
    assertThat(memory.notShown()).isEqualTo(5);
    assertThat(memory.shown()).hasSize(FindingMemory.MOST_SHOWN);
    assertThat(memory.shown().get(0).path("state").asText()).isEqualTo("closed");
    FindingMemory other = new FindingMemory();
    other.put(finding("f-" + (all - 1), "closed"));
    assertThat(memory.hashes()).containsAllEntriesOf(other.hashes());
  }

  @Test
  void doesNotCareForTheOrderOfFields() {
    FindingMemory one = new FindingMemory();
    one.put(finding("f", "open").put("n", 3));
    FindingMemory other = new FindingMemory();
    ObjectNode turned = JsonNodeFactory.instance.objectNode().put("n", 3).put("state", "open");
    other.put(turned.put("finding_id", "f"));
    assertThat(other.hashes()).isEqualTo(one.hashes());
  }
}
