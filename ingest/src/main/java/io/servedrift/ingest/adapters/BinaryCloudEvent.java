package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/**
 * CloudEvents in binary mode, whose attributes travel as headers of HTTP ({@code ce-id}) or of
 * Kafka ({@code ce_id}), as one line of the file format. Stateless, thread-safe.
 */
public final class BinaryCloudEvent {
  private BinaryCloudEvent() {}

  /** Whether the header is an attribute. */
  public static boolean isAttribute(String header) {
    String name = header.toLowerCase(Locale.ROOT);
    return name.startsWith("ce-") || name.startsWith("ce_");
  }

  /**
   * The event as a line that {@link AdapterFormat#KSERVE} reads.
   *
   * @param headers by name; those that are no attributes are left out
   * @param body the payload, UTF-8
   */
  public static byte[] line(Map<String, String> headers, byte[] body) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    ObjectNode attributes = line.putObject("headers");
    headers.forEach(
        (name, value) -> {
          if (isAttribute(name)) {
            attributes.put(name, value);
          }
        });
    line.put("body", new String(body, StandardCharsets.UTF_8));
    return line.toString().getBytes(StandardCharsets.UTF_8);
  }
}
