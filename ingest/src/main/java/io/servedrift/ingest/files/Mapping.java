package io.servedrift.ingest.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How rows of a foreign file become events: which column gives which field, in which unit, time
 * format and words. The language is described in the module's README. Immutable, thread-safe.
 */
public final class Mapping {
  private final MappedType type;
  private final char separator;
  private final List<FieldRule> rules;

  Mapping(MappedType type, char separator, List<FieldRule> rules) {
    this.type = type;
    this.separator = separator;
    this.rules = List.copyOf(rules);
  }

  /**
   * Reads a mapping file.
   *
   * @throws MappingException with every problem at once
   */
  public static Mapping load(Path file) throws MappingException {
    try {
      return parse(Files.readString(file), file.toString());
    } catch (NoSuchFileException e) {
      throw new MappingException(file.toString(), List.of("no such file"));
    } catch (IOException e) {
      throw new MappingException(
          file.toString(), List.of("cannot be read as UTF-8 text: " + e.getMessage()));
    }
  }

  /**
   * Reads a mapping.
   *
   * @param origin name used in error messages
   * @throws MappingException with every problem at once
   */
  public static Mapping parse(String yaml, String origin) throws MappingException {
    return new MappingParser(origin).parse(yaml);
  }

  MappedType type() {
    return type;
  }

  char separator() {
    return separator;
  }

  List<FieldRule> rules() {
    return rules;
  }

  /** Names of all columns that the mapping reads. */
  public Set<String> columns() {
    Set<String> columns = new TreeSet<>();
    for (FieldRule rule : rules) {
      if (rule.source() instanceof FieldRule.Column column) {
        columns.add(column.name());
      }
    }
    return columns;
  }
}
