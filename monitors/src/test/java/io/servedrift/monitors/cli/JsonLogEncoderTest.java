package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class JsonLogEncoderTest {

  @Test
  void writesOneObjectOnOneLine() throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger("io.servedrift.test");
    log.setLevel(Level.INFO);
    log.setAdditive(false);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    log.addAppender(events);
    log.atWarn()
        .addKeyValue("deployment", "image-gen")
        .addKeyValue("config_id", "9f31c2ab7d10e544")
        .setCause(new IllegalStateException("two\nlines"))
        .log("a \"quoted\" {} message", "and filled");

    String line =
        new String(new JsonLogEncoder().encode(events.list.get(0)), StandardCharsets.UTF_8);

    assertThat(line).endsWith("}\n");
    assertThat(line.strip()).doesNotContain("\n");
    JsonNode fields = new ObjectMapper().readTree(line);
    assertThat(fields.fieldNames())
        .toIterable()
        .containsExactly(
            "time", "level", "logger", "thread", "message", "deployment", "config_id", "error");
    assertThat(Instant.parse(fields.path("time").asText()))
        .isEqualTo(events.list.get(0).getInstant());
    assertThat(fields.path("level").asText()).isEqualTo("WARN");
    assertThat(fields.path("logger").asText()).isEqualTo("io.servedrift.test");
    assertThat(fields.path("thread").asText()).isEqualTo(Thread.currentThread().getName());
    assertThat(fields.path("message").asText()).isEqualTo("a \"quoted\" and filled message");
    assertThat(fields.path("deployment").asText()).isEqualTo("image-gen");
    assertThat(fields.path("error").asText())
        .startsWith("java.lang.IllegalStateException: two\nlines")
        .contains("at io.servedrift.monitors.cli.JsonLogEncoderTest");
  }
}
