package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FingerprintMemoryTest {
  private final AtomicInteger computed = new AtomicInteger();
  private final FingerprintMemory memory =
      new FingerprintMemory(
          node -> {
            computed.incrementAndGet();
            return ConfigFingerprint.ofConfig(node);
          });

  private static ObjectNode config(int size) {
    return (ObjectNode) Given.json("{'batching':{'max_batch_size':" + size + "}}");
  }

  @Test
  void computesOnce_whenObjectsAreEqual() {
    assertThat(memory.of(config(8))).isEqualTo(memory.of(config(8)));
    assertThat(computed).hasValue(1);
    assertThat(memory.of(config(9)).id()).isNotEqualTo(memory.of(config(8)).id());
  }

  @Test
  void isNotFooled_whenTheTreeIsChangedAfterwards() {
    ObjectNode tree = config(8);
    String id = memory.of(tree).id();
    tree.withObject("batching").put("max_batch_size", 16);
    assertThat(memory.of(tree).id()).isNotEqualTo(id);
    assertThat(memory.of(config(8)).id()).isEqualTo(id);
  }

  @Test
  void forgetsTheOldest_whenManyCome() {
    for (int i = 0; i < 1000; i++) {
      memory.of(config(i));
    }
    assertThat(computed).hasValue(1000);
    memory.of(config(999));
    assertThat(computed).hasValue(1000);
    memory.of(config(0));
    assertThat(computed).hasValue(1001);
  }
}
