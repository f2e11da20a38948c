package io.servedrift.monitors.cli;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileFormat;
import io.servedrift.ingest.files.Mapping;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.schemas.ReadLimits;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How files with events are read; the same options on {@code import} and {@code replay}. */
final class FileInput {
  /** Records of runtimes carry images in base64. */
  private static final ReadLimits RUNTIME_LIMITS = new ReadLimits(16 << 20, 64);

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "ndjson",
      converter = FormatConverter.class,
      description =
          "ndjson (one JSON object per line), csv, or what a runtime writes: sglang-metrics,"
              + " sglang-log, sglang-diffusion-log, sglang-perf-log, vllm, kserve, otlp; default:"
              + " ${DEFAULT-VALUE}.")
  private FileFormat format = FileFormat.NDJSON;

  @Option(
      names = "--mapping",
      paramLabel = "FILE",
      description = "YAML file that maps the columns of csv, or the members of ndjson, to events.")
  private @Nullable Path mapping;

  @Option(
      names = "--not-after",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description =
          "A later event time is a dead letter; ISO-8601 with zone, default: the time now.")
  private @Nullable Instant notAfter;

  @Option(
      names = "--dead-letters",
      paramLabel = "FILE",
      description = "Add what cannot be used to this file, one JSON object per line.")
  private @Nullable Path deadLetters;

  @Mixin private SourceOptions source = new SourceOptions();

  @Nullable Path deadLetters() {
    return deadLetters;
  }

  /** Whether a time was named after which an event counts for a mistake. */
  boolean isNotAfterGiven() {
    return notAfter != null;
  }

  /** Whether the records are CloudEvents. */
  boolean isCloudEvents() {
    return format.adapter() == AdapterFormat.KSERVE;
  }

  /**
   * The adapter that reads lines or records as they come.
   *
   * @param option that asked for it, for messages
   * @return null for those of the contract
   */
  @Nullable Adapter following(String option, CommandContext context) {
    if (format == FileFormat.CSV || mapping != null) {
      throw CommandFailure.usage(
          option + " reads ndjson and the formats of runtimes, without mapping");
    }
    requireSourceOptions();
    AdapterFormat adapter = format.adapter();
    return adapter == null ? null : source.following(adapter, context);
  }

  /**
   * Refuses a format whose lines mean something only one after the other.
   *
   * @param option that reads records in any order, for messages
   */
  void requireOrderFree(String option) {
    AdapterFormat adapter = format.adapter();
    if (adapter != null && !adapter.isOrderFree()) {
      throw CommandFailure.usage(
          option
              + " cannot be read as "
              + format.label()
              + ": the lines of a log need their order, which a topic does not keep; follow the"
              + " file itself");
    }
  }

  private void requireSourceOptions() {
    if (format.adapter() == null && source.given() != null) {
      throw CommandFailure.usage(
          source.given()
              + " belongs to the format of a runtime, not to --format "
              + format.label());
    }
  }

  /** A reader for these files; the caller may set more before it is built. */
  EventFiles.Builder reader(List<Path> files, CommandContext context) throws MappingException {
    if (format == FileFormat.CSV && mapping == null) {
      throw CommandFailure.usage("--format csv needs --mapping FILE");
    }
    requireSourceOptions();
    if (format.adapter() != null && mapping != null) {
      throw CommandFailure.usage(
          "--mapping belongs to csv and ndjson, not to --format " + format.label());
    }
    if (files.stream().filter(Terminal::isStdin).count() > 1) {
      throw CommandFailure.usage("standard input (-) can be read only once");
    }
    EventFiles.Builder reader =
        EventFiles.builder(files, format, notAfter == null ? context.clock().instant() : notAfter)
            .mapping(mapping == null ? null : Mapping.load(mapping))
            .stdin(context.terminal().in());
    AdapterFormat adapter = format.adapter();
    if (adapter == null) {
      return reader;
    }
    return reader.limits(RUNTIME_LIMITS).adapter(source.settings(adapter, context));
  }

  /** Formats by their lower-case names. */
  static final class FormatConverter implements ITypeConverter<FileFormat> {

    @Override
    public FileFormat convert(String text) {
      for (FileFormat format : FileFormat.values()) {
        if (format.label().equals(text.toLowerCase(Locale.ROOT))) {
          return format;
        }
      }
      throw new TypeConversionException("'" + text + "' must be one of " + FileFormat.labels());
    }
  }

  /** A point in time; without a zone it would mean something else on another machine. */
  static final class TimeConverter implements ITypeConverter<Instant> {

    @Override
    public Instant convert(String text) {
      try {
        return OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException e) {
        throw new TypeConversionException(
            "'" + text + "' must be a time with zone, for example 2026-11-30T10:00:00Z");
      }
    }
  }
}
