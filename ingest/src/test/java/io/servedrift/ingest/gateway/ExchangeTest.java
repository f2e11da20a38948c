package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ExchangeTest {

  private final CaptureBudget budget = new CaptureBudget(1 << 20);
  private final Exchange exchange =
      new Exchange(Route.IMAGES, Instant.EPOCH, 1, 1, null, null, budget, 1 << 16);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void keepsNothing_ofWhatPassesAfterItsEnd() {
    exchange.answerHeaders("application/json", null, null);
    exchange.askContent(bytes("{\"prompt\":"));
    exchange.answerContent(bytes("{\"data\":"));
    assertThat(budget.taken()).isPositive();
    assertThat(exchange.end(Outcome.CANCELLED)).isTrue();
    exchange.release();
    assertThat(budget.taken()).isZero();
    exchange.askContent(bytes("\"x\"}"));
    exchange.answerContent(bytes("[]}"));
    assertThat(budget.taken()).as("nobody would give these back").isZero();
  }

  @Test
  void readsNothing_ofAStreamThatPassesAfterItsEnd() {
    exchange.answerHeaders("text/event-stream", null, null);
    exchange.answerContent(bytes("data: {\"id\":\"before\"}\n\n"));
    exchange.end(Outcome.CANCELLED);
    exchange.answerContent(bytes("data: {\"id\":\"after\"}\n\n"));
    Answer answer = exchange.readAnswer();
    assertThat(answer).isNotNull();
    assertThat(answer.id()).isEqualTo("before");
  }

  @Test
  void keepsTwoImagesAtMost_howeverManyAStreamBrings() {
    exchange.answerHeaders("text/event-stream", null, null);
    for (int i = 0; i < 50; i++) {
      exchange.answerContent(bytes("data: {\"data\":[{\"b64_json\":\"aGVsbG8=\"}]}\n\n"));
    }
    exchange.end(Outcome.COMPLETE);
    Answer answer = exchange.readAnswer();
    assertThat(answer).isNotNull();
    assertThat(answer.images()).hasSize(2);
  }

  @Test
  void keepsAStreamWithinTheBudget() {
    CaptureBudget small = new CaptureBudget(64 * 1024);
    Exchange stream = new Exchange(Route.CHAT, Instant.EPOCH, 1, 1, null, null, small, 1 << 16);
    stream.answerHeaders("text/event-stream", null, null);
    String text =
        "data: {\"choices\":[{\"delta\":{\"content\":\"" + "w".repeat(1_000) + "\"}}]}\n\n";
    stream.answerContent(bytes(text));
    assertThat(small.taken()).isBetween(1_000L, 64L * 1024);
    for (int i = 0; i < 200; i++) {
      stream.answerContent(bytes(text));
      assertThat(small.taken()).isLessThanOrEqualTo(64 * 1024);
    }
    assertThat(small.taken()).as("given up, nothing is kept").isZero();
    stream.end(Outcome.COMPLETE);
    assertThat(stream.readAnswer()).isNull();
    assertThat(stream.shedBodies()).isEqualTo(1);
    assertThat(stream.firstContentSeconds()).isPositive();
    stream.release();
    assertThat(small.taken()).isZero();
  }

  @Test
  void countsAnEventThatDoesNotEnd_inTheBudget() {
    exchange.answerHeaders("text/event-stream", null, null);
    for (int i = 0; i < 10; i++) {
      exchange.answerContent(bytes("x".repeat(10_000)));
    }
    assertThat(budget.taken()).isGreaterThanOrEqualTo(100_000);
    exchange.end(Outcome.COMPLETE);
    exchange.release();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void readsTextThatIsRepeatedFromTheBeginning_andTextThatIsNot() {
    exchange.answerHeaders("text/event-stream", null, null);
    String word = "ab ".repeat(500);
    for (int i = 1; i <= 20; i++) {
      exchange.answerContent(bytes("data: {\"text\":\"" + word.repeat(i) + i + "\"}\n\n"));
    }
    Answer other = exchange.readAnswer();
    assertThat(other).isNotNull();
    assertThat(other.text()).as("each part holds more, but not the one before").hasSize(315_031);
    Exchange cumulative =
        new Exchange(Route.GENERATE, Instant.EPOCH, 1, 1, null, null, budget, 1 << 16);
    cumulative.answerHeaders("text/event-stream", null, null);
    for (int i = 1; i <= 20; i++) {
      cumulative.answerContent(bytes("data: {\"text\":\"" + word.repeat(i) + "\"}\n\n"));
    }
    Answer answer = cumulative.readAnswer();
    assertThat(answer).isNotNull();
    assertThat(answer.text()).isEqualTo(word.repeat(20));
  }
}
