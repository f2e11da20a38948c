package io.servedrift.ingest.files;

import io.servedrift.schemas.EventCodec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.apache.avro.specific.SpecificRecord;

/** One event read from a file. */
public final class FileEvent {
  private final SortEntry entry;
  private final String origin;

  FileEvent(SortEntry entry, String origin) {
    this.entry = entry;
    this.origin = origin;
  }

  /** Event time. */
  public Instant at() {
    return Instant.EPOCH.plus(entry.timeMicros(), ChronoUnit.MICROS);
  }

  /** The event; decoded anew on each call. */
  public SpecificRecord event() {
    return EventCodec.decode(entry.payload());
  }

  /** The event as it goes over the wire (single-object encoding); not to be changed. */
  public byte[] encoded() {
    return entry.payload();
  }

  /** True for what an event gave inline about its configuration; it is no row of its own. */
  public boolean isRegistration() {
    return !entry.comparable();
  }

  /** {@code file:line}. */
  public String origin() {
    return origin;
  }
}
