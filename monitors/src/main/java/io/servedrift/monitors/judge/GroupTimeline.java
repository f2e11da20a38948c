package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.baseline.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * When each model and configuration of a deployment served how much, hour by hour: who came before
 * whom. Bounded. Not thread-safe.
 */
final class GroupTimeline {
  private static final int MOST_HOURS = 24 * 8;

  /** A predecessor served at least this many requests in the day before. */
  private static final long LEAST_REQUESTS = 300;

  /** A predecessor that was not switched off by an event serves at most this share of before. */
  private static final double SHRUNK = .5;

  /** A successor served at least this many requests in this hour and the one before. */
  private static final long LEAST_TAKEN_OVER = 30;

  /** A predecessor has stopped when so many of its requests are missing: by chance, e^-10. */
  private static final double LEAST_MISSED = 10;

  private static final List<String> SWITCHES =
      List.of("config_changed", "deploy", "rollback", "weights_updated");

  private final SortedMap<Group, Presence> groups = new TreeMap<>();

  private static final class Presence {
    long firstMicros;
    long lastMicros;
    final TreeMap<Long, Long> byHour = new TreeMap<>();
  }

  /** Counts requests that ended in a pane. */
  void add(Group group, long paneStartMicros, long requests) {
    Presence presence =
        groups.computeIfAbsent(
            group,
            g -> {
              Presence fresh = new Presence();
              fresh.firstMicros = paneStartMicros;
              return fresh;
            });
    presence.lastMicros = paneStartMicros;
    presence.byHour.merge(Math.floorDiv(paneStartMicros, Micros.HOUR), requests, Long::sum);
    presence.byHour.headMap(presence.byHour.lastKey() - MOST_HOURS).clear();
  }

  /** Forgets groups that have not served for longer than the timeline reaches. */
  void forgetBefore(long nowMicros) {
    groups
        .values()
        .removeIf(presence -> presence.lastMicros < nowMicros - MOST_HOURS * Micros.HOUR);
  }

  /** Share of the requests since an hour that the largest group has; 1 when there are none. */
  double largestShareSince(long micros) {
    long hour = Math.floorDiv(micros, Micros.HOUR);
    long total = 0;
    long largest = 0;
    for (Presence presence : groups.values()) {
      long own = sum(presence, hour, Long.MAX_VALUE - 1);
      total += own;
      largest = Math.max(largest, own);
    }
    return total == 0 ? 1 : largest / (double) total;
  }

  /** Start of the first pane in which a group served; empty when it never did. */
  Optional<Long> firstMicros(Group group) {
    return Optional.ofNullable(groups.get(group)).map(p -> p.firstMicros);
  }

  /** Whether a group is silent for longer than its traffic of the day before lets expect. */
  boolean hasStopped(Group group, long nowMicros) {
    Presence presence = groups.get(group);
    if (presence == null) {
      return false;
    }
    long lastHour = Math.floorDiv(presence.lastMicros, Micros.HOUR);
    long known =
        Math.max(Micros.HOUR, Math.min(Micros.DAY, presence.lastMicros - presence.firstMicros));
    double missed =
        (double) sum(presence, lastHour - 24, lastHour) * (nowMicros - presence.lastMicros) / known;
    return missed >= LEAST_MISSED;
  }

  /** Start of the last pane in which any group but one served. */
  long lastOfOthers(Group group) {
    long last = Long.MIN_VALUE;
    for (Map.Entry<Group, Presence> other : groups.entrySet()) {
      if (!other.getKey().equals(group)) {
        last = Math.max(last, other.getValue().lastMicros);
      }
    }
    return last;
  }

  /**
   * Whether models or configurations that began to serve in a stretch of time have most of the
   * traffic since then. A few requests of a rare model are no change of what serves.
   */
  Changes startedBetween(long fromMicros, long toMicros, boolean scorer) {
    SortedSet<String> oldModels = new TreeSet<>();
    SortedSet<String> oldConfigs = new TreeSet<>();
    groups.forEach(
        (group, presence) -> {
          if (presence.firstMicros < fromMicros) {
            oldModels.add(group.modelId());
            oldConfigs.add(group.configId());
          }
        });
    long hour = Math.floorDiv(toMicros, Micros.HOUR);
    long all = 0;
    long ofNewModels = 0;
    long ofNewConfigs = 0;
    for (Map.Entry<Group, Presence> one : groups.entrySet()) {
      long first = one.getValue().firstMicros;
      long served = sum(one.getValue(), hour, Long.MAX_VALUE - 1);
      all += served;
      if (!oldModels.isEmpty() && first >= fromMicros && first < toMicros) {
        ofNewModels += oldModels.contains(one.getKey().modelId()) ? 0 : served;
        ofNewConfigs += oldConfigs.contains(one.getKey().configId()) ? 0 : served;
      }
    }
    return new Changes(2 * ofNewModels > all, 2 * ofNewConfigs > all, scorer);
  }

  /**
   * What ran before a group began: the group that served most in the day before, if serving events
   * say that something was switched, or if its traffic went to the new one. Without an event it
   * must share the model or the configuration with the new group or have had most of the traffic:
   * in a deployment of many models, new ones come without replacing any. A canary beside an
   * unchanged configuration has none by this rule until its traffic moves.
   */
  Optional<Group> predecessorOf(Group group, EventLog events, long nowMicros) {
    Presence own = groups.get(group);
    if (own == null) {
      return Optional.empty();
    }
    boolean switched =
        events.any(
            SWITCHES, own.firstMicros - 30 * Micros.MINUTE, own.firstMicros + 30 * Micros.MINUTE);
    long firstHour = Math.floorDiv(own.firstMicros, Micros.HOUR);
    long now = Math.floorDiv(nowMicros, Micros.HOUR);
    if (!switched && sum(own, Math.max(firstHour, now - 1), now) < LEAST_TAKEN_OVER) {
      return Optional.empty();
    }
    long all = 0;
    Group best = null;
    long most = 0;
    Group related = null;
    long mostRelated = 0;
    for (Map.Entry<Group, Presence> other : groups.entrySet()) {
      long before = sum(other.getValue(), firstHour - 24, firstHour);
      if (other.getValue().firstMicros >= own.firstMicros || other.getKey().equals(group)) {
        continue;
      }
      all += before;
      if (before > most) {
        best = other.getKey();
        most = before;
      }
      if (before > mostRelated && related(group, other.getKey())) {
        related = other.getKey();
        mostRelated = before;
      }
    }
    boolean byItself = switched || most > all / 2;
    Group found = byItself ? best : related;
    if (found == null || (byItself ? most : mostRelated) < LEAST_REQUESTS) {
      return Optional.empty();
    }
    return switched || tookOver(own, presence(found), nowMicros)
        ? Optional.of(found)
        : Optional.empty();
  }

  private static boolean related(Group one, Group other) {
    return one.modelId().equals(other.modelId()) || one.configId().equals(other.configId());
  }

  private Presence presence(Group group) {
    Presence presence = groups.get(group);
    if (presence == null) {
      throw new IllegalArgumentException(group + ": never served");
    }
    return presence;
  }

  /** Whether a group serves what another one served before. */
  private boolean tookOver(Presence after, Presence before, long nowMicros) {
    long firstHour = Math.floorDiv(after.firstMicros, Micros.HOUR);
    long now = Math.floorDiv(nowMicros, Micros.HOUR);
    double earlier = sum(before, firstHour - 24, firstHour);
    if (before.lastMicros < after.firstMicros + 5 * Micros.MINUTE) {
      long known = Math.min(Micros.DAY, after.firstMicros - before.firstMicros);
      double missed = earlier * (after.lastMicros - before.lastMicros) / Math.max(known, 1);
      return missed >= LEAST_MISSED;
    }
    if (now < firstHour + 2) {
      return false;
    }
    // Shares of the deployment: in a quiet hour every group serves less.
    double allEarlier = 0;
    double allLately = 0;
    for (Presence each : groups.values()) {
      allEarlier += sum(each, firstHour - 24, firstHour);
      allLately += sum(each, now - 1, now);
    }
    double share = earlier / allEarlier;
    double shareNow = sum(before, now - 1, now) / allLately;
    double taken = sum(after, now - 1, now) / allLately;
    return shareNow <= SHRUNK * share && taken >= SHRUNK * (share - shareNow);
  }

  /** Requests in hours, the last one included. */
  private static long sum(Presence presence, long fromHour, long toHour) {
    return presence.byHour.subMap(fromHour, toHour + 1).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  void write(Content.Writer out) {
    out.count(groups.size());
    groups.forEach(
        (group, presence) -> {
          out.text(group.modelId());
          out.text(group.configId());
          out.whole(presence.firstMicros);
          out.whole(presence.lastMicros);
          out.count(presence.byHour.size());
          presence.byHour.forEach(
              (hour, count) -> {
                out.whole(hour);
                out.whole(count);
              });
        });
  }

  static GroupTimeline read(Content.Reader in) {
    GroupTimeline timeline = new GroupTimeline();
    for (int left = in.count(); left > 0; left--) {
      Group group = new Group(in.text(), in.text());
      Presence presence = new Presence();
      presence.firstMicros = in.whole();
      presence.lastMicros = in.whole();
      for (int hours = in.count(); hours > 0; hours--) {
        presence.byHour.put(in.whole(), in.whole());
      }
      timeline.groups.put(group, presence);
    }
    return timeline;
  }
}
