package io.servedrift.monitors.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.KeyValuePair;

/**
 * A log line as one JSON object: {@code time} (ISO-8601, UTC), {@code level}, {@code logger},
 * {@code thread}, {@code message}, then what the place knows ({@code deployment}, {@code
 * config_id}, ...), and {@code error} with the stack trace. Thread-safe.
 */
final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("time", event.getInstant().toString());
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put("message", event.getFormattedMessage());
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        line.put(pair.key, String.valueOf(pair.value));
      }
    }
    IThrowableProxy error = event.getThrowableProxy();
    if (error != null) {
      line.put("error", ThrowableProxyUtil.asString(error));
    }
    try {
      return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of texts can be written", e);
    }
  }
}
