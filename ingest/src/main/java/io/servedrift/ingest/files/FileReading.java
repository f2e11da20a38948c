package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.EventType;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Tick;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** One pass through the files of an {@link EventFiles}. Used once, not thread-safe. */
final class FileReading {
  static final String TICK_SKIPPED = "tick: files are sorted, time passes by their events";
  private static final int PROGRESS_ROWS = 1_000;

  private final EventFiles.Builder settings;
  private final EventSorter sorter;
  private final LetterBox letters;
  private final EventReader reader;
  private final @Nullable Mapping mapping;
  private final @Nullable RowMapper mapper;
  private final ReadTally tally = new ReadTally();
  private final Registrations registrations = new Registrations();
  private final List<String> names = new ArrayList<>();
  private long sequence;
  private final @Nullable AdaptedRows adapted;
  private long mappedRows;

  FileReading(EventFiles.Builder settings, EventSorter sorter, Consumer<DeadLetter> rejected) {
    this.settings = settings;
    this.sorter = sorter;
    this.letters = new LetterBox(rejected, settings.notAfter, settings.keepRaw);
    this.reader = new EventReader(settings.limits);
    this.mapping = settings.mapping;
    this.mapper = mapping == null ? null : new RowMapper(mapping);
    AdapterFormat format = settings.format.adapter();
    this.adapted =
        format == null
            ? null
            : new AdaptedRows(
                format.open(settings.adapter), tally, letters, names::get, this::takeAdapted);
  }

  SortedEvents run() throws FileReadException {
    for (Path path : settings.paths) {
      InputFile input = new InputFile(path, settings.stdin);
      names.add(input.name());
      try (InputStream in = input.open()) {
        readFile(new LineReader(in, settings.limits.maxBytes()), input.name());
      } catch (IOException e) {
        throw new FileReadException(
            input.name() + ": cannot be read to its end after " + tally.rows() + " rows: " + e, e);
      }
    }
    endAdapter();
    Repetitions repetitions = new Repetitions();
    Registrations needed = new Registrations();
    try {
      SortedStore store =
          sorter.finish(
              entry -> {
                repetitions.next(entry);
                if (!entry.comparable() && needed.isNew(entry.idHash(), entry.timeMicros())) {
                  tally.registration();
                }
              });
      return new SortedEvents(store, sorter, names, tally.summary(repetitions));
    } catch (IOException e) {
      throw new FileReadException(
          "events cannot be sorted in " + settings.temporaryRoot + ": " + e, e);
    }
  }

  private void endAdapter() throws FileReadException {
    if (adapted == null) {
      return;
    }
    try {
      adapted.end();
    } catch (UnfitSourceException e) {
      throw new FileReadException(String.join(", ", names) + ": " + e.getMessage(), e);
    } catch (UncheckedIOException e) {
      throw new FileReadException("events cannot be sorted in " + settings.temporaryRoot, e);
    }
  }

  private void readFile(LineReader lines, String name) throws IOException, FileReadException {
    RowSource rows = rows(lines, name);
    long taken = 0;
    for (FileRow row = rows.next(); row != null; row = rows.next()) {
      take(row, name + ":" + row.line());
      if (++taken % PROGRESS_ROWS == 0) {
        settings.progress.at(name, tally.rows(), lines.bytesRead());
      }
    }
    settings.progress.at(name, tally.rows(), lines.bytesRead());
    if (lines.bytesRead() == 0) {
      tally.emptyFile(name);
    }
  }

  private RowSource rows(LineReader lines, String name) throws IOException, FileReadException {
    Mapping m = mapping;
    if (settings.format != FileFormat.CSV || m == null) {
      return new NdjsonRows(lines, settings.limits, m != null && adapted == null);
    }
    CsvReader csv = new CsvReader(lines, m.separator(), settings.limits.maxBytes());
    return CsvRows.open(csv, name, m.columns());
  }

  private void take(FileRow row, String origin) throws IOException {
    if (adapted != null && row instanceof FileRow.Json json) {
      adapted.take(json.content(), names.size() - 1);
      return;
    }
    tally.row();
    if (row instanceof FileRow.Malformed malformed) {
      tally.rejected(malformed.reason());
      letters.malformed(malformed, origin);
    } else if (row instanceof FileRow.Json json) {
      takeJson(json, origin);
    } else if (row instanceof FileRow.Columns columns && mapper != null) {
      takeMapped(columns, mapper, origin);
    }
  }

  private void takeJson(FileRow.Json row, String origin) throws IOException {
    byte[] content = row.content().content();
    if (content == null) {
      throw new IllegalStateException(origin + ": a line without content is malformed");
    }
    Reading reading = onTime(reader.readJson(content));
    if (reading instanceof Reading.Rejected why) {
      tally.rejected(why.reason());
      letters.json(content, why, origin);
    } else if (reading instanceof Reading.Accepted accepted) {
      keep(accepted, names.size() - 1, row.line(), ContentHash.ofEvent(accepted.event()));
    }
  }

  private void takeMapped(FileRow.Columns row, RowMapper rowMapper, String origin)
      throws IOException {
    RowMapper.Outcome outcome = rowMapper.map(row.lookup(), mappedRows++);
    if (outcome instanceof RowMapper.Outcome.Skipped skipped) {
      tally.skipped(skipped.reason());
      return;
    }
    Reading reading =
        outcome instanceof RowMapper.Outcome.Mapped mapped
            ? onTime(reader.readJson(mapped.event()))
            : ((RowMapper.Outcome.Failed) outcome).why();
    if (reading instanceof Reading.Rejected why) {
      Reading.Rejected located = rowMapper.locate(why);
      tally.rejected(located.reason());
      letters.mapped(row, rowMapper, located, origin);
    } else if (reading instanceof Reading.Accepted accepted) {
      List<String> cells = row.cells();
      long hash =
          cells == null
              ? ContentHash.ofEvent(accepted.event())
              : ContentHash.ofCells(cells, rowMapper.idPosition(row));
      keep(accepted, names.size() - 1, row.line(), hash);
    }
  }

  /** What an adapter made: checked like a line of the contract. */
  private AdaptedRows.Verdict takeAdapted(ObjectNode event, SourceLine from) {
    Reading reading = onTime(reader.readJson(event));
    if (reading instanceof Reading.Rejected why) {
      return new AdaptedRows.Verdict(why);
    }
    Reading.Accepted accepted = (Reading.Accepted) reading;
    try {
      keep(accepted, from.file(), from.number(), ContentHash.ofEvent(accepted.event()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return AdaptedRows.Verdict.KEPT;
  }

  /** A time after the limit is decided here, once, and for every reader of the file alike. */
  private Reading onTime(Reading reading) {
    if (!(reading instanceof Reading.Accepted accepted)) {
      return reading;
    }
    SpecificRecord event = accepted.event();
    Instant at = EventTimes.of(event);
    if (!at.isAfter(settings.notAfter)) {
      return reading;
    }
    String field =
        event instanceof RequestEvent
            ? "finished_at"
            : event.getSchema().getField("scored_at") != null ? "scored_at" : "at";
    return new Reading.Rejected(
        RejectReason.FUTURE_TIME.code(),
        List.of(
            new Problem(
                field, at.toString(), "not after " + settings.notAfter + " (--not-after)")));
  }

  private void keep(Reading.Accepted accepted, int file, long line, long contentHash)
      throws IOException {
    SpecificRecord event = accepted.event();
    if (event instanceof Tick) {
      tally.skipped(TICK_SKIPPED);
      return;
    }
    for (ConfigRecord registration : accepted.registrations()) {
      long id = ContentHash.ofText(registration.getConfigId() + "/" + registration.getModelId());
      if (registrations.isNew(id, micros(registration))) {
        add(registration, file, line, SortEntry.NOT_COMPARED, id);
      }
    }
    tally.accepted(EventType.of(event).word(), EventTimes.of(event), accepted);
    add(event, file, line, contentHash, ContentHash.ofId(event));
  }

  private void add(SpecificRecord event, int file, long line, long contentHash, long idHash)
      throws IOException {
    sorter.add(
        new SortEntry(
            micros(event), sequence++, contentHash, idHash, file, line, EventCodec.encode(event)));
  }

  private static long micros(SpecificRecord event) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, EventTimes.of(event));
  }
}
