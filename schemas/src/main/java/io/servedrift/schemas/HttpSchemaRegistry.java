package io.servedrift.schemas;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Asks a registry with the Confluent API ({@code GET /schemas/ids/{id}}; Karapace, and Apicurio
 * under {@code /apis/ccompat/v7}, answer it too). A schema never changes under its id, so answers
 * are kept, the most recently used thousand; that an id is not known, or that the registry failed,
 * is believed for ten seconds only. Thread-safe; one request at a time.
 */
public final class HttpSchemaRegistry implements SchemaRegistry {
  static final Duration BELIEVED = Duration.ofSeconds(10);
  private static final int KEPT = 1000;
  private static final int MAX_ANSWER_BYTES = 1024 * 1024;
  private static final ObjectReader JSON =
      StrictJson.reader(new ReadLimits(MAX_ANSWER_BYTES, ReadLimits.DEFAULT.maxDepth()));

  private record Answer(@Nullable Schema schema, @Nullable String failure, Instant at) {}

  private final String base;
  private final Duration timeout;
  private final Clock clock;
  private final HttpClient client;
  private final Map<Integer, Answer> answers =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Answer> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param base e.g. {@code http://registry:8081} or {@code http://apicurio:8080/apis/ccompat/v7}
   * @param timeout longest wait for one answer: a reader waits that long, at most every ten seconds
   *     per id
   * @throws IllegalArgumentException when the address is not http or https
   */
  public HttpSchemaRegistry(URI base, Duration timeout, Clock clock) {
    if (!"http".equals(base.getScheme()) && !"https".equals(base.getScheme())) {
      throw new IllegalArgumentException(
          "schema registry=" + base.getScheme() + ":...: must be an http or https address");
    }
    String text = base.toString();
    this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    this.timeout = timeout;
    this.clock = clock;
    this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
  }

  @Override
  public synchronized @Nullable Schema byId(int id) throws IOException {
    Instant now = clock.instant();
    Answer known = answers.get(id);
    if (known == null || (known.schema() == null && !now.isBefore(known.at().plus(BELIEVED)))) {
      known = ask(id, now);
      answers.put(id, known);
    }
    if (known.failure() != null) {
      throw new IOException(known.failure());
    }
    return known.schema();
  }

  private Answer ask(int id, Instant now) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + "/schemas/ids/" + Integer.toUnsignedString(id)))
            .timeout(timeout)
            .header("Accept", "application/vnd.schemaregistry.v1+json, application/json")
            .build();
    try {
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() == 404) {
          return new Answer(null, null, now);
        }
        if (response.statusCode() != 200) {
          return new Answer(null, "schema registry answered " + response.statusCode(), now);
        }
        byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES + 1);
        return new Answer(bytes.length > MAX_ANSWER_BYTES ? null : parse(bytes), null, now);
      }
    } catch (IOException e) {
      return new Answer(null, "schema registry: " + e.getClass().getSimpleName(), now);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer(null, "schema registry: interrupted", now);
    }
  }

  /** The schema, or null for what is no Avro schema that stands alone. */
  private static @Nullable Schema parse(byte[] answer) throws IOException {
    try {
      JsonNode node = JSON.readTree(answer);
      JsonNode type = node.get("schemaType");
      JsonNode text = node.get("schema");
      boolean avro = type == null || type.isNull() || "AVRO".equals(type.textValue());
      return avro && text != null && text.isTextual()
          ? new Schema.Parser().parse(text.textValue())
          : null;
    } catch (JsonProcessingException | AvroRuntimeException e) {
      return null;
    }
  }
}
