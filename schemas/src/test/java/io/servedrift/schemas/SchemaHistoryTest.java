package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of evolution. When this fails because schemas changed on purpose before their release:
 * {@code mvn -pl schemas test -Dtest=SchemaHistoryTest,GoldenBytesTest -Dschemas.release=0.1.0}
 * writes history and golden bytes anew.
 */
class SchemaHistoryTest {
  @BeforeAll
  static void write() {
    Release.writeIfAsked();
  }

  private static List<Schema> versions(EventType type) {
    List<Schema> all =
        SchemaCatalog.instance().history().stream()
            .map(SchemaCatalog.Released::schema)
            .filter(s -> s.getFullName().equals(type.schema().getFullName()))
            .collect(Collectors.toCollection(ArrayList::new));
    all.add(type.schema());
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void everyVersionReadsEveryOther(EventType type) {
    List<Schema> versions = versions(type);
    assertThat(versions).hasSizeGreaterThan(1);
    for (Schema reader : versions) {
      for (Schema writer : versions) {
        assertThat(SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType())
            .isEqualTo(SchemaCompatibilityType.COMPATIBLE);
      }
    }
  }

  /**
   * The whole JSON, because canonical forms and fingerprints drop defaults, logical types and
   * constraints.
   */
  @ParameterizedTest
  @EnumSource
  void newestHistoryIsTheCurrentSchema(EventType type) {
    String newest =
        SchemaCatalog.instance().history().stream()
            .filter(r -> r.schema().getFullName().equals(type.schema().getFullName()))
            .map(r -> r.version() + "/" + type.schema().getName() + ".avsc")
            .max(SchemaHistoryTest::compareVersions)
            .orElseThrow();
    JsonNode released = StrictJson.trusted(Given.resource("avro-history/" + newest));
    assertThat(Release.current(type).toPrettyString())
        .as("a schema differs from its newest release: see Evolution in schemas/README.md")
        .isEqualTo(released.toPrettyString());
  }

  private static int compareVersions(String a, String b) {
    return java.util.Arrays.compare(numbers(a), numbers(b));
  }

  private static int[] numbers(String path) {
    return java.util.Arrays.stream(path.substring(0, path.indexOf('/')).split("\\."))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  @Test
  void comparesVersionsAsNumbers() {
    assertThat(compareVersions("0.10.0/X.avsc", "0.9.0/X.avsc")).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void enumsStartWithUnknown_andOptionalFieldsWithNull(EventType type) {
    List<Schema> seen = new ArrayList<>();
    check(type.schema(), seen);
    assertThat(seen).isNotEmpty();
  }

  private static void check(Schema schema, List<Schema> seen) {
    switch (schema.getType()) {
      case ENUM -> {
        assertThat(schema.getEnumSymbols().get(0)).as(schema.getName()).isEqualTo("UNKNOWN");
        assertThat(schema.getEnumDefault()).as(schema.getName()).isEqualTo("UNKNOWN");
      }
      case UNION -> {
        assertThat(schema.getTypes()).hasSize(2);
        assertThat(schema.getTypes().get(0).getType()).isEqualTo(Schema.Type.NULL);
        check(schema.getTypes().get(1), seen);
      }
      case ARRAY -> check(schema.getElementType(), seen);
      case MAP -> check(schema.getValueType(), seen);
      case RECORD -> {
        if (seen.contains(schema)) {
          return;
        }
        seen.add(schema);
        assertThat(schema.getNamespace()).isEqualTo("io.servedrift.schemas.avro");
        assertThat(schema.getDoc()).as(schema.getName()).isNotEmpty();
        for (Schema.Field f : schema.getFields()) {
          assertThat(f.name()).matches("[a-z][a-z0-9_]*");
          if (f.schema().isUnion()) {
            assertThat(f.hasDefaultValue()).as(schema.getName() + "." + f.name()).isTrue();
            assertThat(f.defaultVal())
                .as(f.name())
                .isEqualTo(org.apache.avro.JsonProperties.NULL_VALUE);
          }
          check(f.schema(), seen);
        }
      }
      default -> {
        if (schema.getLogicalType() != null) {
          assertThat(schema.getLogicalType().getName()).isEqualTo("timestamp-micros");
        }
      }
    }
  }

  @Test
  void historyHoldsEveryRecordOfItsFirstRelease() {
    assertThat(SchemaCatalog.instance().history().stream().filter(r -> r.version().equals("0.1.0")))
        .hasSize(EventType.values().length);
  }
}
