package io.servedrift.monitors.baseline;

import java.util.ArrayList;
import java.util.List;

/**
 * A frozen reference of one family (configuration, metric, statistic): tables, thresholds and how
 * its tracks behave while nothing shifts. Named by its content: equal content, equal {@link #id}.
 * Immutable and thread-safe.
 */
public final class Baseline {
  private static final int FORMAT = 2;

  private final FamilySpec spec;
  private final TrafficClasses classes;
  private final Thresholds thresholds;
  private final List<String> nodes;
  private final long fromMicros;
  private final long toMicros;
  private final long paneMicros;
  private final int panes;
  private final ReferenceTable table;
  private final List<TrackCalibration> tracks;
  private final byte[] content;
  private final String id;

  Baseline(
      FamilySpec spec,
      TrafficClasses classes,
      Thresholds thresholds,
      List<String> nodes,
      long fromMicros,
      long toMicros,
      long paneMicros,
      int panes,
      ReferenceTable table,
      List<TrackCalibration> tracks) {
    this.spec = spec;
    this.classes = classes;
    this.thresholds = thresholds;
    this.nodes = List.copyOf(nodes);
    this.fromMicros = fromMicros;
    this.toMicros = toMicros;
    this.paneMicros = paneMicros;
    this.panes = panes;
    this.table = table;
    this.tracks = List.copyOf(tracks);
    content = write();
    id = Content.id(content);
  }

  /** SHA-256 of {@link #encode}, in hexadecimal. */
  public String id() {
    return id;
  }

  /** What the family watches. */
  public FamilySpec spec() {
    return spec;
  }

  /** The traffic classes it knows. */
  public TrafficClasses classes() {
    return classes;
  }

  /** Where values are winsorised and exceedances counted. */
  public Thresholds thresholds() {
    return thresholds;
  }

  /** The nodes that have tracks of their own; empty when none have. */
  public List<String> nodes() {
    return nodes;
  }

  /** Start of the first pane, microseconds since the epoch. */
  public long fromMicros() {
    return fromMicros;
  }

  /** End of the last pane, exclusive. */
  public long toMicros() {
    return toMicros;
  }

  /** Length of a pane. */
  public long paneMicros() {
    return paneMicros;
  }

  /** Number of panes with traffic or at least heard of. */
  public int panes() {
    return panes;
  }

  /** Number of values. */
  public long n() {
    return Math.round(table.n(Stratum.ALL));
  }

  /** The tables. */
  public ReferenceTable table() {
    return table;
  }

  /** The tracks that the reference supports, in a fixed order. */
  public List<TrackCalibration> tracks() {
    return tracks;
  }

  /** New feeds, one per track, in the same order. */
  public List<TrackFeed> newFeeds() {
    List<TrackFeed> feeds = new ArrayList<>(tracks.size());
    for (TrackCalibration track : tracks) {
      feeds.add(feed(spec, track.track(), table));
    }
    return feeds;
  }

  /**
   * The feed of a track. Contrasts and shares compare within a pane, and failures and scores do not
   * follow the load by themselves, so they go on beyond the loads of the reference; durations and
   * tails do not.
   */
  static TrackFeed feed(FamilySpec spec, Track track, ReferenceTable table) {
    boolean needsSupport =
        (track.kind() == Track.Kind.MEAN && spec.logarithmic())
            || (track.kind() == Track.Kind.COUNT && spec.statistic() != FamilySpec.Statistic.RATIO);
    return new TrackFeed(track, table, needsSupport);
  }

  /** Canonical bytes. */
  public byte[] encode() {
    return content.clone();
  }

  private byte[] write() {
    Content.Writer out = new Content.Writer();
    out.count(FORMAT);
    spec.write(out);
    classes.write(out);
    thresholds.write(out);
    out.count(nodes.size());
    nodes.forEach(out::text);
    out.whole(fromMicros);
    out.whole(toMicros);
    out.whole(paneMicros);
    out.count(panes);
    table.write(out);
    out.count(tracks.size());
    tracks.forEach(track -> track.write(out));
    return out.bytes();
  }

  /**
   * Reads {@link #encode}.
   *
   * @throws IllegalArgumentException when the bytes are not of a baseline
   */
  public static Baseline decode(byte[] bytes) {
    Content.Reader in = new Content.Reader(bytes);
    int format = in.count();
    if (format != FORMAT) {
      throw new IllegalArgumentException("baseline format " + format + ": must be " + FORMAT);
    }
    FamilySpec spec = FamilySpec.read(in);
    TrafficClasses classes = TrafficClasses.read(in);
    Thresholds thresholds = Thresholds.read(in);
    List<String> nodes = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      nodes.add(in.text());
    }
    long from = in.whole();
    long to = in.whole();
    long paneMicros = in.whole();
    int panes = in.count();
    ReferenceTable table = ReferenceTable.read(in);
    List<TrackCalibration> tracks = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      tracks.add(TrackCalibration.read(in));
    }
    in.end();
    return new Baseline(
        spec, classes, thresholds, nodes, from, to, paneMicros, panes, table, tracks);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Baseline that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "Baseline[" + id + ", n=" + n() + ", panes=" + panes + "]";
  }
}
