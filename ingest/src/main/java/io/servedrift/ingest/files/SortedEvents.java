package io.servedrift.ingest.files;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Events of one or many files in order of event time; those of equal time in order of reading. The
 * registrations of configurations given inline come as {@code ConfigRecord}s before the event that
 * gave them. Can be gone through more than once, by one thread. Closing deletes temporary files.
 */
public final class SortedEvents implements Iterable<FileEvent>, AutoCloseable {
  private final SortedStore store;
  private final EventSorter sorter;
  private final List<String> names;
  private final ReadSummary summary;

  SortedEvents(SortedStore store, EventSorter sorter, List<String> names, ReadSummary summary) {
    this.store = store;
    this.sorter = sorter;
    this.names = names;
    this.summary = summary;
  }

  /** What became of every row. */
  public ReadSummary summary() {
    return summary;
  }

  /** True when the events did not fit the memory limit and were sorted on disk. */
  public boolean sortedOnDisk() {
    return sorter.spilled();
  }

  @Override
  public Iterator<FileEvent> iterator() {
    return new EventIterator(store.iterator());
  }

  /** Passes over registrations that an earlier one made needless. */
  private final class EventIterator implements Iterator<FileEvent> {
    private final Iterator<SortEntry> entries;
    private final Registrations registrations = new Registrations();
    private @Nullable SortEntry next;

    EventIterator(Iterator<SortEntry> entries) {
      this.entries = entries;
      this.next = advance();
    }

    private @Nullable SortEntry advance() {
      while (entries.hasNext()) {
        SortEntry entry = entries.next();
        if (entry.comparable() || registrations.isNew(entry.idHash(), entry.timeMicros())) {
          return entry;
        }
      }
      return null;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public FileEvent next() {
      SortEntry entry = next;
      if (entry == null) {
        throw new NoSuchElementException("no more events");
      }
      next = advance();
      return new FileEvent(entry, names.get(entry.file()) + ":" + entry.line());
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
    sorter.close();
  }
}
