package io.servedrift.schemas;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.jspecify.annotations.Nullable;

/**
 * Every schema that a payload may have been written with: the current ones and all released ones,
 * which ship in the jar ({@code avro-history/VERSION/NAME.avsc}). Immutable.
 */
public final class SchemaCatalog {
  private static final String HISTORY = "/avro-history/";
  private static final SchemaCatalog INSTANCE = new SchemaCatalog();

  /** A released schema: which version of the product wrote it. */
  record Released(String version, Schema schema) {}

  private final Map<Long, Schema> byFingerprint = new HashMap<>();
  private final List<Released> history = new ArrayList<>();

  private SchemaCatalog() {
    for (String line : lines("index.txt")) {
      String version = line.substring(0, line.indexOf('/'));
      Schema schema = new Schema.Parser().parse(String.join("\n", lines(line)));
      history.add(new Released(version, schema));
      byFingerprint.put(SchemaNormalization.parsingFingerprint64(schema), schema);
    }
    for (EventType type : EventType.values()) {
      byFingerprint.put(type.fingerprint(), type.schema());
    }
  }

  static SchemaCatalog instance() {
    return INSTANCE;
  }

  /** The schema with this CRC-64-AVRO fingerprint of its canonical form, or null. */
  public static @Nullable Schema byFingerprint(long fingerprint) {
    return INSTANCE.byFingerprint.get(fingerprint);
  }

  /** All of them by their CRC-64-AVRO fingerprint. */
  public static Map<Long, Schema> all() {
    return Collections.unmodifiableMap(INSTANCE.byFingerprint);
  }

  List<Released> history() {
    return history;
  }

  private static List<String> lines(String name) {
    try (InputStream in = SchemaCatalog.class.getResourceAsStream(HISTORY + name)) {
      if (in == null) {
        throw new IllegalStateException(HISTORY + name + ": must be on the class path");
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(HISTORY + name + ": cannot be read", e);
    }
  }
}
