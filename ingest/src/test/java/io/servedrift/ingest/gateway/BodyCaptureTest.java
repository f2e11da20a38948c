package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BodyCaptureTest {

  private static final int KIB = 1024;

  @Test
  void keepsEveryByte_howeverTheyCome() {
    Random random = new Random(3);
    for (int round = 0; round < 50; round++) {
      CaptureBudget budget = new CaptureBudget(1 << 20);
      BodyCapture capture = new BodyCapture(budget, 300 * KIB);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      int chunks = random.nextInt(12);
      for (int i = 0; i < chunks; i++) {
        byte[] bytes = new byte[random.nextInt(round % 2 == 0 ? 20 : 25 * KIB)];
        random.nextBytes(bytes);
        ByteBuffer chunk = ByteBuffer.wrap(bytes);
        capture.add(chunk);
        assertThat(chunk.remaining()).as("left as it was").isEqualTo(bytes.length);
        all.writeBytes(bytes);
      }
      assertThat(capture.bytes()).isEqualTo(all.toByteArray());
      assertThat(budget.taken()).isBetween((long) all.size(), 2L * all.size() + KIB);
      capture.release();
      assertThat(budget.taken()).isZero();
    }
  }

  @Test
  void givesUpBeyondItsLimit_whichIsNoShortageOfRoom() {
    CaptureBudget budget = new CaptureBudget(1 << 20);
    BodyCapture capture = new BodyCapture(budget, 2 * KIB);
    capture.add(ByteBuffer.allocate(2 * KIB));
    assertThat(capture.givenUp()).isFalse();
    capture.add(ByteBuffer.allocate(1));
    assertThat(capture.givenUp()).isTrue();
    assertThat(capture.isShed()).isFalse();
    assertThat(budget.taken()).isZero();
    capture.add(ByteBuffer.allocate(1));
    assertThat(capture.bytes()).isEmpty();
  }

  @Test
  void keepsSmallBodies_whenLargeOnesHaveTakenTheirShare() {
    CaptureBudget budget = new CaptureBudget(1024 * KIB);
    for (int i = 0; i < 8; i++) {
      BodyCapture large = new BodyCapture(budget, 1 << 20);
      large.add(ByteBuffer.allocate(128 * KIB));
      assertThat(large.givenUp()).isEqualTo(i == 7);
      assertThat(large.isShed()).isEqualTo(i == 7);
    }
    for (int i = 0; i < 30; i++) {
      BodyCapture small = new BodyCapture(budget, 1 << 20);
      small.add(ByteBuffer.allocate(60));
      assertThat(small.givenUp()).isFalse();
    }
  }
}
