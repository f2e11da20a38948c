package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.regex.RegularExpression;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether documents satisfy JSON schemas that clients send. Schemas are compiled once and kept, the
 * last {@value #MAX} of them; a schema may refer to nothing outside itself. One thread at a time.
 */
final class SchemaMatch {

  static final int MAX = 256;
  private static final int LARGEST = 64 * 1024;

  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder
                  .schemaCacheEnabled(false)
                  .schemaRegistryConfig(
                      SchemaRegistryConfig.builder()
                          .regularExpressionFactory(SchemaMatch::boundedPattern)
                          .build()));
  private final Map<JsonNode, Optional<Schema>> compiled =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JsonNode, Optional<Schema>> eldest) {
          return size() > MAX;
        }
      };

  /**
   * Whether the document satisfies the schema.
   *
   * @param document null for what is not JSON: it satisfies none
   * @return null when the schema cannot be used
   */
  @Nullable Boolean matches(JsonNode schema, @Nullable JsonNode document) {
    Schema usable = compiled.computeIfAbsent(schema, this::compile).orElse(null);
    if (usable == null) {
      return null;
    }
    if (document == null) {
      return false;
    }
    try {
      return usable.validate(document).isEmpty();
    } catch (RuntimeException | StackOverflowError unusable) {
      // References are resolved as they are met, so a broken or endless one shows only here.
      return null;
    }
  }

  private Optional<Schema> compile(JsonNode schema) {
    if (schema.toString().length() > LARGEST) {
      return Optional.empty();
    }
    try {
      return Optional.of(registry.getSchema(schema));
    } catch (RuntimeException | StackOverflowError unusable) {
      return Optional.empty();
    }
  }

  /** A pattern of a client's may take ages on the right text; ours is given up after a while. */
  private static RegularExpression boundedPattern(String regex) {
    Pattern pattern = Pattern.compile(regex);
    return text -> pattern.matcher(new BoundedText(text)).find();
  }
}
