package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TickWarningsTest {
  private final Logger log = (Logger) LoggerFactory.getLogger(TickWriter.class);
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();

  @BeforeEach
  void listen() {
    said.start();
    log.addAppender(said);
  }

  @AfterEach
  void leave() {
    log.detachAppender(said);
  }

  @Test
  void saysAtOnceThenOnceAMinute_howManyTicksWereNotWritten() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // System.nanoTime may overflow
    TickWarnings warnings = new TickWarnings(now::get);

    for (int second = 0; second < 150; second++) {
      warnings.missed(new IllegalStateException("no broker"));
      now.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    assertThat(said.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .extracting(message -> message.substring(0, message.indexOf(" tick(s) not written")))
        .containsExactly("1", "60", "60");
    assertThat(said.list.get(0).getFormattedMessage()).contains("/-/ready", "no broker");
  }
}
