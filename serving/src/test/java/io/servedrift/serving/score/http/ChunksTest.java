package io.servedrift.serving.score.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunksTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1_023, 1_024, 1_025, 2_048, 5_000, 10_000})
  void givesWhatWasRead_andAllocatesAtMostTwiceIt(int size) throws IOException {
    byte[] body = new byte[size];
    new Random(size).nextBytes(body);
    ByteArrayInputStream in = new ByteArrayInputStream(body);
    Chunks chunks = new Chunks(10_000);
    int allocated = 0;
    while (chunks.size() < size) {
      int missing = chunks.missing();
      if (missing > 0) {
        chunks.grow(missing);
        allocated += missing;
      }
      assertThat(chunks.readFrom(in)).isPositive();
    }

    assertThat(allocated).isLessThanOrEqualTo(Math.min(10_000, Math.max(1_024, 2 * size)));
    assertThat(chunks.join()).isEqualTo(body);
    assertThat(chunks.size()).isZero();
  }
}
