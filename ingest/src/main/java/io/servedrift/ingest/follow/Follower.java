package io.servedrift.ingest.follow;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.RejectReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows files and folders and publishes the events of their lines, at least once each: a place is
 * remembered only when the events before it are acknowledged, and, as an adapter may hold a record
 * for its partner, only a minute later; what is read again after a crash has the same ids, and the
 * monitor drops it. An orderly end gives everything and remembers the exact place. Of a folder the
 * files that end in {@code .log .json .jsonl .ndjson} are followed, also those that come later; one
 * that is read and rests is closed until it changes. Not thread-safe.
 */
public final class Follower implements Following {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  /** As long as an adapter waits for the partner of a record, and some more. */
  static final Duration HELD = Duration.ofSeconds(60);

  private static final Duration BETWEEN_WRITES = Duration.ofSeconds(5);
  private static final List<String> ENDINGS = List.of(".log", ".json", ".jsonl", ".ndjson");
  private static final int MOST_LINES = 500;
  private static final int MOST_FILES = 1_000;
  private static final Duration REST = Duration.ofMinutes(10);

  /** While lines are behind, the clock says nothing of them; but nothing is held longer. */
  private static final Duration LONGEST_BACKLOG = Duration.ofSeconds(30);

  private record Snapshot(Instant at, Map<String, FilePlace> places) {}

  private final FollowSettings settings;
  private final @Nullable Adapter adapter;
  private final Clock clock;
  private final Delivery delivery;
  private final PlaceFile placeFile;
  private final Map<String, FilePlace> remembered;
  private final Set<String> started = new HashSet<>();
  private final Map<String, FilePlace> begun = new TreeMap<>();
  private Map<String, FilePlace> written;
  private final Map<Path, FollowedFile> files = new LinkedHashMap<>();
  private final List<String> names = new ArrayList<>();
  private final Map<Path, FileTime> resting = new HashMap<>();
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();
  private boolean firstLook = true;
  private boolean unsaved;
  private boolean full;
  private Instant passed = Instant.EPOCH;
  private Instant rested = Instant.EPOCH;
  private Instant checked = Instant.EPOCH;

  /**
   * Reads the places remembered by an earlier run.
   *
   * @param adapter of the format; null for lines of the contract
   * @throws IOException when the state file cannot be read
   */
  public Follower(FollowSettings settings, @Nullable Adapter adapter, EventSink sink, Clock clock)
      throws IOException {
    this.settings = settings;
    this.adapter = adapter;
    this.clock = clock;
    this.delivery = new Delivery(sink, clock, line -> names.get(line.file()) + ":" + line.number());
    this.placeFile = new PlaceFile(settings.places());
    this.remembered = new TreeMap<>(placeFile.read());
    this.written = new TreeMap<>(remembered);
  }

  @Override
  public void run(BooleanSupplier stopped, Runnable pause)
      throws IOException, UnfitSourceException {
    while (!stopped.getAsBoolean()) {
      if (!step(stopped, pause)) {
        pause.run();
      }
    }
    end(stopped, pause);
  }

  /**
   * One look at all files.
   *
   * @return whether there was anything
   */
  boolean step(BooleanSupplier stopped, Runnable pause) throws IOException, UnfitSourceException {
    look();
    begin();
    boolean any = false;
    boolean behind = false;
    for (FollowedFile file : files.values()) {
      int index = names.indexOf(file.path().toString());
      int given = file.poll(MOST_LINES, (line, number) -> take(line, index, number));
      any |= given > 0;
      behind |= given >= MOST_LINES;
    }
    if (adapter != null) {
      pass(adapter, behind);
      check();
    }
    rest();
    if (delivery.settle(stopped, pause)) {
      remember(any);
    }
    return any;
  }

  /**
   * Remembers the first place of a file before a line of it is read: a crash in the first minute
   * would else find only the file of that name, and not what was rotated away meanwhile.
   */
  private void begin() throws IOException {
    boolean any = false;
    for (FollowedFile file : files.values()) {
      String name = file.path().toString();
      FilePlace place = started.contains(name) ? null : file.begin();
      if (place != null) {
        started.add(name);
        any |= !remembered.containsKey(name);
        begun.putIfAbsent(name, place);
      }
    }
    begun.keySet().removeAll(remembered.keySet());
    if (any) {
      write(written);
    }
  }

  /** Writes places, and the first ones of files that were met later. */
  private void write(Map<String, FilePlace> places) throws IOException {
    begun.keySet().removeAll(places.keySet());
    written = places;
    Map<String, FilePlace> all = new TreeMap<>(begun);
    all.putAll(places);
    placeFile.write(all);
  }

  private void pass(Adapter held, boolean behind) {
    Instant now = clock.instant();
    passed = passed.equals(Instant.EPOCH) ? now : passed;
    if (!behind || passed.plus(LONGEST_BACKLOG).isBefore(now)) {
      passed = now;
      held.pass(now, delivery);
    }
  }

  /** Closes what is read and rests: a folder gets a file per hour for as long as it is followed. */
  private void rest() throws IOException {
    Instant now = clock.instant();
    if (rested.plus(BETWEEN_WRITES).isAfter(now)) {
      return;
    }
    rested = now;
    for (FollowedFile file : List.copyOf(files.values())) {
      Path path = file.path();
      if (settings.paths().contains(path) || !file.isReadAndUnchangedSince(now.minus(REST))) {
        continue;
      }
      FilePlace place = file.place();
      files.remove(path);
      started.remove(path.toString());
      file.close();
      if (place != null && Files.exists(path)) {
        remembered.put(path.toString(), place);
        resting.put(path, Files.getLastModifiedTime(path));
      } else {
        remembered.remove(path.toString());
      }
    }
    for (Path path : List.copyOf(resting.keySet())) {
      if (!Files.exists(path)) {
        resting.remove(path);
        remembered.remove(path.toString());
      }
    }
  }

  private void check() throws UnfitSourceException {
    Instant now = clock.instant();
    if (adapter != null && !checked.plus(BETWEEN_WRITES).isAfter(now)) {
      checked = now;
      adapter.require();
    }
  }

  private void take(byte @Nullable [] line, int file, long number) {
    if (line == null) {
      delivery.line();
      delivery.reject(
          RejectReason.TOO_LARGE.code(),
          List.of(
              new Problem("(line)", "too long", "at most " + settings.maxLineBytes() + " bytes")),
          new SourceLine(new byte[0], file, number));
    } else if (!isBlank(line)) {
      delivery.line();
      SourceLine source = new SourceLine(line, file, number, clock.instant());
      if (adapter == null) {
        delivery.contract(source);
      } else {
        adapter.take(source, delivery);
      }
    }
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t') {
        return false;
      }
    }
    return true;
  }

  private void look() throws IOException {
    for (Path path : settings.paths()) {
      if (!Files.isDirectory(path)) {
        add(path);
        continue;
      }
      for (Path file : newest(inside(path))) {
        add(file);
      }
    }
    firstLook = false;
  }

  private List<Path> inside(Path folder) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> inside = Files.list(folder)) {
      for (Path file : inside.filter(Follower::isLog).sorted().toList()) {
        FileTime known = resting.get(file);
        if (!files.containsKey(file)
            && (known == null || !known.equals(Files.getLastModifiedTime(file)))) {
          found.add(file);
        }
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{}: gone while it was looked at; the next look is soon", e.getMessage());
    }
    return found;
  }

  /** As many as there is room for; what is older waits until others rest. */
  private List<Path> newest(List<Path> found) throws IOException {
    int room = Math.max(0, MOST_FILES - files.size());
    if (found.size() <= room) {
      full = false;
      return found;
    }
    if (!full) {
      full = true;
      LOG.warn(
          "{} files are open, the most there may be; {} older ones wait until others are read",
          MOST_FILES,
          found.size() - room);
    }
    Map<Path, FileTime> changed = new HashMap<>();
    for (Path file : found) {
      changed.put(file, Files.getLastModifiedTime(file));
    }
    List<Path> newest = new ArrayList<>(found);
    newest.sort(Comparator.comparing(changed::get, Comparator.reverseOrder()));
    if (firstLook && settings.fromEnd()) {
      newest.subList(room, newest.size()).forEach(file -> resting.put(file, changed.get(file)));
    }
    return newest.subList(0, room).stream().sorted().toList();
  }

  /** Not {@code x.log.1}: what is renamed away is still read under its old name. */
  private static boolean isLog(Path file) {
    String name = String.valueOf(file.getFileName());
    return ENDINGS.stream().anyMatch(name::endsWith) && Files.isRegularFile(file);
  }

  private void add(Path path) throws IOException {
    if (files.containsKey(path)) {
      return;
    }
    FollowedFile file = new FollowedFile(path, settings.maxLineBytes());
    FilePlace place = remembered.get(path.toString());
    if (place != null && !file.resume(place)) {
      LOG.warn(
          "{}: the place where it was left is gone (rotated away, or written anew); what was"
              + " written there since then is missing, reading goes on at the start of the file",
          path);
    } else if (place == null && firstLook && settings.fromEnd()) {
      file.skipToEnd();
    }
    if (!Files.exists(path)) {
      LOG.warn("{}: no such file; it is followed once it is there", path);
    }
    resting.remove(path);
    files.put(path, file);
    if (!names.contains(path.toString())) {
      names.add(path.toString());
    }
  }

  private Map<String, FilePlace> places() throws IOException {
    Map<String, FilePlace> places = new TreeMap<>(remembered);
    for (FollowedFile file : files.values()) {
      FilePlace place = file.place();
      if (place != null) {
        places.put(file.path().toString(), place);
      }
    }
    return places;
  }

  private void remember(boolean any) throws IOException {
    Instant now = clock.instant();
    unsaved |= any;
    Snapshot newest = snapshots.peekLast();
    if (unsaved && (newest == null || !newest.at().plus(BETWEEN_WRITES).isAfter(now))) {
      snapshots.add(new Snapshot(now, places()));
      unsaved = false;
    }
    Snapshot due = null;
    Duration held = adapter == null ? Duration.ZERO : HELD;
    while (!snapshots.isEmpty() && !snapshots.getFirst().at().plus(held).isAfter(now)) {
      due = snapshots.removeFirst();
    }
    if (due != null) {
      write(due.places());
    }
  }

  private void end(BooleanSupplier stopped, Runnable pause)
      throws IOException, UnfitSourceException {
    if (adapter != null) {
      adapter.end(delivery);
    }
    if (delivery.settle(stopped, pause)) {
      write(places());
    }
  }

  @Override
  public long lines() {
    return delivery.lines();
  }

  @Override
  public FollowCounts counts() {
    return delivery.counts();
  }

  @Override
  public void close() throws IOException {
    for (FollowedFile file : files.values()) {
      file.close();
    }
  }
}
