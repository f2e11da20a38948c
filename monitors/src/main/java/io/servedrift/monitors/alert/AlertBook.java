package io.servedrift.monitors.alert;

import io.servedrift.monitors.alert.Alert.Member;
import io.servedrift.schemas.avro.AlertState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which alerts there are, and what Alertmanager is to hear next. Knows no Kafka, no clock and no
 * HTTP.
 *
 * <p>An incident has at most one alert of each severity. Its first finding raises one, with its
 * labels and its {@code detected_at} as the start; later findings of the incident are listed in it.
 * A finding that has become a page raises a second alert beside the ticket. A ticket is listed in
 * the page of its incident, where there is one, and raises none. An alert is resolved when no
 * finding asks for its severity any more; if tickets are left then, they get an alert of their own.
 *
 * <p>Labels are the identity of an alert in Alertmanager. A finding of another incident with the
 * labels of an alert that fires joins that alert, and raises it anew when it was resolved.
 *
 * <p>{@link #takeChanges} is what must be stored; a book that has {@linkplain #load loaded} it goes
 * on as this one would. Not thread-safe.
 */
public final class AlertBook {
  private final AlertTimings timings;
  private final AlertLinks links;
  private final Map<AlertKey, Alert> alerts = new TreeMap<>();
  private final Set<AlertKey> changed = new TreeSet<>();

  /** When an alert was last given out; absent when it has changed since. */
  private final Map<AlertKey, Instant> given = new HashMap<>();

  /** Alerts that were never given out: nobody needs to hear that they are over. */
  private final Set<AlertKey> unheard = new HashSet<>();

  /** A book without alerts. */
  public AlertBook(AlertTimings timings, AlertLinks links) {
    this.timings = timings;
    this.links = links;
  }

  /** Takes the next version of a finding. A version that was taken before changes nothing. */
  void observe(FindingView finding, Instant now) {
    Member member = Member.of(finding);
    if (isOver(member)) {
      return;
    }
    for (Alert alert : firing(member.incidentId())) {
      if (member.open() || alert.member(member.findingId()) != null) {
        put(alert, member);
      }
    }
    if (member.open() && !isCovered(member)) {
      Instant detected = finding.detectedAt();
      open(member, detected.isAfter(now) ? now : detected, firing(member.incidentId()));
    }
    settle(member.incidentId(), now);
  }

  /** A closed finding never opens again: what says so was delivered twice. */
  private boolean isOver(Member member) {
    return alerts.values().stream()
        .map(alert -> alert.member(member.findingId()))
        .anyMatch(known -> known != null && known.over());
  }

  private List<Alert> firing(String incidentId) {
    return alerts.values().stream()
        .filter(alert -> alert.firing() && alert.concerns(incidentId))
        .toList();
  }

  /** Whether an alert of its incident is as severe as the finding. */
  private boolean isCovered(Member member) {
    return firing(member.incidentId()).stream()
        .anyMatch(alert -> alert.key().severity().compareTo(member.key().severity()) >= 0);
  }

  private void put(Alert alert, Member member) {
    if (alert.put(member)) {
      changed(alert);
    }
  }

  private void changed(Alert alert) {
    changed.add(alert.key());
    given.remove(alert.key());
  }

  /**
   * Raises the alert with the labels of a finding, or joins it when it fires already.
   *
   * @param siblings alerts that fire or have ended just now: their open findings of the incident
   *     are listed as well, and one with the same labels goes on
   */
  private void open(Member first, Instant startsAt, List<Alert> siblings) {
    Alert old = alerts.get(first.key());
    Alert alert = old;
    if (alert != null && siblings.contains(alert)) {
      alert.goOn();
    } else if (alert == null || !alert.firing()) {
      alert = new Alert(first.key(), later(startsAt, old), Map.of());
    }
    alert.put(first);
    for (Alert sibling : siblings) {
      sibling.members().stream()
          .filter(one -> one.open() && one.incidentId().equals(first.incidentId()))
          .toList()
          .forEach(alert::put);
    }
    keep(alert);
  }

  private void keep(Alert alert) {
    if (alerts.put(alert.key(), alert) == null) {
      unheard.add(alert.key());
    }
    changed(alert);
  }

  /** Alertmanager would take an overlap with the one before for the same alert. */
  private static Instant later(Instant startsAt, @Nullable Alert before) {
    return before == null
        ? startsAt
        : before.endsAt().filter(ended -> ended.isAfter(startsAt)).orElse(startsAt);
  }

  /** Ends what nobody asks for any more, and gives tickets that are left an alert of their own. */
  private void settle(String incidentId, Instant now) {
    List<Alert> ended = firing(incidentId).stream().filter(alert -> !alert.justified()).toList();
    ended.forEach(alert -> resolve(alert, now));
    for (Alert alert : ended) {
      for (Member left : List.copyOf(alert.members())) {
        if (left.open() && firing(left.incidentId()).isEmpty()) {
          open(left, now, ended);
        }
      }
    }
  }

  private void resolve(Alert alert, Instant now) {
    alert.resolve(now);
    changed(alert);
    if (unheard.contains(alert.key())) {
      remove(alert.key());
    }
  }

  private void remove(AlertKey key) {
    alerts.remove(key);
    unheard.remove(key);
    given.remove(key);
    changed.add(key);
  }

  /**
   * Raises an alert that no finding asks for. Annotations of one that fires already stay what they
   * are: they say what was seen first.
   */
  public void raise(AlertKey key, Map<String, String> annotations, Instant startsAt) {
    Alert old = alerts.get(key);
    if (old == null || !old.firing()) {
      keep(new Alert(key, later(startsAt, old), annotations));
    }
  }

  /** Resolves an alert that {@link #raise} raised; nothing when there is none. */
  public void clear(AlertKey key, Instant now) {
    Alert alert = alerts.get(key);
    if (alert != null && alert.firing() && !alert.raisedByFinding()) {
      resolve(alert, now);
    }
  }

  /**
   * Raises what holds and clears what does not hold any more.
   *
   * @param current all conditions there are now
   * @param owned deployments that this book answers for; others stay as they are
   */
  void conditions(List<Condition> current, Predicate<String> owned, Instant now) {
    Set<AlertKey> hold = new HashSet<>();
    for (Condition one : current) {
      if (owned.test(one.key().deployment())) {
        hold.add(one.key());
        raise(one.key(), one.annotations(), one.startsAt().isAfter(now) ? now : one.startsAt());
      }
    }
    alerts.values().stream()
        .filter(alert -> !alert.raisedByFinding() && owned.test(alert.key().deployment()))
        .map(Alert::key)
        .filter(key -> !hold.contains(key))
        .toList()
        .forEach(key -> clear(key, now));
  }

  /** Forgets alerts that have been resolved for long enough. */
  public void expire(Instant now) {
    alerts.values().stream()
        .filter(alert -> alert.endsAt().filter(ended -> isOld(ended, now)).isPresent())
        .map(Alert::key)
        .toList()
        .forEach(this::remove);
  }

  private boolean isOld(Instant ended, Instant now) {
    return !ended.plus(timings.resolvedFor()).isAfter(now);
  }

  /**
   * What is to be sent now: alerts that have changed, and those whose turn it is again. Each is
   * taken for sent; who sends retries until the next version of it comes.
   */
  public List<AlertMessage> due(Instant now) {
    List<AlertMessage> due = new ArrayList<>();
    for (Alert alert : alerts.values()) {
      Instant last = given.get(alert.key());
      if (last == null || !last.plus(timings.resend()).isAfter(now)) {
        due.add(alert.message(now, timings, links));
        given.put(alert.key(), now);
        unheard.remove(alert.key());
      }
    }
    return due;
  }

  /** What has changed since this was last asked, by key; empty where an alert is forgotten. */
  public Map<AlertKey, Optional<AlertState>> takeChanges() {
    Map<AlertKey, Optional<AlertState>> changes = new TreeMap<>();
    changed.forEach(
        key -> changes.put(key, Optional.ofNullable(alerts.get(key)).map(Alert::state)));
    changed.clear();
    return changes;
  }

  /**
   * Takes an alert that was stored. It may have been sent, so its end will be.
   *
   * @throws IllegalArgumentException when it is none of ours
   */
  public void load(AlertState state) {
    Alert alert = Alert.of(state);
    alerts.put(alert.key(), alert);
  }

  /** Lets go of the alerts of deployments that another book answers for now. */
  Set<AlertKey> release(Predicate<String> deployments) {
    Set<AlertKey> gone = new TreeSet<>(alerts.keySet());
    gone.removeIf(key -> !deployments.test(key.deployment()));
    alerts.keySet().removeAll(gone);
    given.keySet().removeAll(gone);
    unheard.removeAll(gone);
    changed.removeIf(key -> deployments.test(key.deployment()));
    return gone;
  }

  /** Alerts that fire, by severity. */
  public Map<AlertSeverity, Integer> firing() {
    Map<AlertSeverity, Integer> counts = new TreeMap<>();
    for (AlertSeverity severity : AlertSeverity.values()) {
      counts.put(severity, 0);
    }
    alerts.values().stream()
        .filter(Alert::firing)
        .forEach(alert -> counts.merge(alert.key().severity(), 1, Integer::sum));
    return counts;
  }
}
