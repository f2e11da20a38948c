package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.baseline.Content;
import java.util.ArrayList;
import java.util.List;

/**
 * Groups findings of one fault: same deployment, overlapping onset, same cause. What cannot tell
 * its cause joins what began with it. An incident keeps its name for good. Not thread-safe.
 */
final class Incidents {
  /** Onsets are estimates: intervals are widened by this on both sides. */
  private static final long SLACK = 15 * Micros.MINUTE;

  private static final long KEPT = 7 * Micros.DAY;
  private static final int MOST = 500;

  private final List<Incident> incidents = new ArrayList<>();

  private record Incident(String id, String cause, long fromMicros, long toMicros) {
    boolean overlaps(long from, long to) {
      return from <= toMicros + SLACK && to >= fromMicros - SLACK;
    }

    boolean sameCause(String other) {
      return cause.equals(other) || undecided(cause) || undecided(other);
    }

    private static boolean undecided(String cause) {
      return cause.equals(Cause.INCONCLUSIVE.label());
    }
  }

  /** The incident of a finding that opens, a new one when none fits. */
  String join(String findingId, Cause cause, long earliestMicros, long latestMicros) {
    for (int i = 0; i < incidents.size(); i++) {
      Incident one = incidents.get(i);
      if (one.overlaps(earliestMicros, latestMicros) && one.sameCause(cause.label())) {
        if (Incident.undecided(one.cause())) {
          incidents.set(i, new Incident(one.id(), cause.label(), one.fromMicros(), one.toMicros()));
        }
        return one.id();
      }
    }
    String id = "inc-" + findingId;
    incidents.add(new Incident(id, cause.label(), earliestMicros, latestMicros));
    incidents.removeIf(old -> old.toMicros() < latestMicros - KEPT);
    if (incidents.size() > MOST) {
      incidents.remove(0);
    }
    return id;
  }

  void write(Content.Writer out) {
    out.count(incidents.size());
    for (Incident one : incidents) {
      out.text(one.id());
      out.text(one.cause());
      out.whole(one.fromMicros());
      out.whole(one.toMicros());
    }
  }

  static Incidents read(Content.Reader in) {
    Incidents result = new Incidents();
    for (int left = in.count(); left > 0; left--) {
      result.incidents.add(new Incident(in.text(), in.text(), in.whole(), in.whole()));
    }
    return result;
  }
}
