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
}
