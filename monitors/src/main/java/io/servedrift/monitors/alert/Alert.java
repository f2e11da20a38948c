package io.servedrift.monitors.alert;

import io.servedrift.schemas.avro.AlertMember;
import io.servedrift.schemas.avro.AlertState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One alert: labels and start are fixed, members and annotations change, and it ends once. Raised
 * by findings, its members, or by a condition, which has none. Not thread-safe.
 */
final class Alert {
  /** Members that are listed, and keep their annotations. */
  private static final int LISTED = 20;

  /** Members at most, so that the state is a record that Kafka takes (1 MB). */
  private static final int MOST = 500;

  private static final int LONGEST_LIST = 4000;

  private final AlertKey key;
  private final Instant startsAt;
  private final Map<String, String> own;
  private final Map<String, Member> members = new LinkedHashMap<>();
  private @Nullable Instant endsAt;

  /**
   * A finding in an alert.
   *
   * @param key labels of an alert of its own, at its latest severity
   * @param open whether it counts: it is open and no {@code info}
   * @param over whether it is closed for good
   */
  record Member(
      String findingId,
      String incidentId,
      AlertKey key,
      boolean open,
      boolean over,
      Map<String, String> annotations) {
    static Member of(FindingView finding) {
      return new Member(
          finding.findingId(),
          finding.incidentId(),
          finding.key(),
          finding.counts(),
          finding.over(),
          finding.annotations());
    }

    boolean holds(AlertSeverity severity) {
      return open && key.severity().compareTo(severity) >= 0;
    }

    private Member withoutAnnotations() {
      return new Member(findingId, incidentId, key, open, over, Map.of());
    }

    private String line() {
      String effect = annotations.getOrDefault("effect", "");
      String cause = annotations.getOrDefault("cause", "");
      return key.series()
          + (effect.isEmpty() ? "" : ", " + effect)
          + (cause.isEmpty() ? "" : ", cause " + cause)
          + (open ? "" : ", over")
          + ", "
          + findingId;
    }
  }

  /** An alert that fires. {@code own} are the annotations of one that no finding raised. */
  Alert(AlertKey key, Instant startsAt, Map<String, String> own) {
    this.key = key;
    this.startsAt = startsAt;
    this.own = Map.copyOf(own);
  }

  AlertKey key() {
    return key;
  }

  Instant startsAt() {
    return startsAt;
  }

  Optional<Instant> endsAt() {
    return Optional.ofNullable(endsAt);
  }

  boolean firing() {
    return endsAt == null;
  }

  Map<String, String> own() {
    return own;
  }

  boolean raisedByFinding() {
    return !members.isEmpty();
  }

  Collection<Member> members() {
    return members.values();
  }

  @Nullable Member member(String findingId) {
    return members.get(findingId);
  }

  boolean concerns(String incidentId) {
    return members.values().stream().anyMatch(one -> one.incidentId().equals(incidentId));
  }

  /**
   * Takes the latest version of a finding. When there are too many, those that are over give way;
   * if all are open, the new one is left out: the alert fires anyway.
   *
   * @return whether that changed anything
   */
  boolean put(Member member) {
    if (!members.containsKey(member.findingId()) && members.size() >= MOST) {
      members.values().stream()
          .skip(1)
          .filter(one -> !one.open())
          .findFirst()
          .ifPresent(old -> members.remove(old.findingId()));
      if (members.size() >= MOST) {
        return false;
      }
    }
    boolean listed = members.containsKey(member.findingId()) || members.size() < LISTED;
    Member kept = listed ? member : member.withoutAnnotations();
    return !kept.equals(members.put(member.findingId(), kept));
  }

  /** Whether a member still asks for it. */
  boolean justified() {
    return members.values().stream().anyMatch(one -> one.holds(key.severity()));
  }

  /** Never before its start, which Alertmanager would refuse. */
  void resolve(Instant now) {
    endsAt = now.isBefore(startsAt) ? startsAt : now;
  }

  /** Takes an end back that nobody has heard of. */
  void goOn() {
    endsAt = null;
  }

  AlertMessage message(Instant now, AlertTimings timings, AlertLinks links) {
    Instant ends = endsAt;
    return new AlertMessage(
        key,
        startsAt,
        ends == null ? now.plus(timings.validity()) : ends,
        ends != null,
        annotations(links),
        members.isEmpty() ? links.monitor() : links.finding(members.keySet().iterator().next()));
  }

  /** Those of the finding that raised it, and a list when there are more. */
  private Map<String, String> annotations(AlertLinks links) {
    if (members.isEmpty()) {
      Map<String, String> linked = new TreeMap<>(links.of(key));
      linked.putAll(own);
      return linked;
    }
    Member first = members.values().iterator().next();
    Map<String, String> all = new TreeMap<>(first.annotations());
    if (members.size() > 1) {
      List<String> lines = new ArrayList<>();
      members.values().stream().limit(LISTED).forEach(one -> lines.add(one.line()));
      if (members.size() > LISTED) {
        lines.add("and " + (members.size() - LISTED) + " more");
      }
      all.put("findings", AnnotationText.lines(String.join("\n", lines), LONGEST_LIST));
    }
    return all;
  }

  /** For the alerts topic. */
  AlertState state() {
    return AlertState.newBuilder()
        .setAlertKey(key.canonical())
        .setIncidentId(members.isEmpty() ? "" : members.values().iterator().next().incidentId())
        .setMembers(members.values().stream().map(Alert::encoded).toList())
        .setStartsAt(startsAt)
        .setEndsAt(endsAt)
        .setAnnotations(own)
        .build();
  }

  private static AlertMember encoded(Member member) {
    return AlertMember.newBuilder()
        .setFindingId(member.findingId())
        .setIncidentId(member.incidentId())
        .setAlertKey(member.key().canonical())
        .setOpen(member.open())
        .setOver(member.over())
        .setAnnotations(member.annotations())
        .build();
  }

  /**
   * Reads what {@link #state} wrote.
   *
   * @throws IllegalArgumentException when its labels are none of ours
   */
  static Alert of(AlertState state) {
    Alert alert =
        new Alert(AlertKey.parse(state.getAlertKey()), state.getStartsAt(), state.getAnnotations());
    for (AlertMember one : state.getMembers()) {
      alert.members.put(
          one.getFindingId(),
          new Member(
              one.getFindingId(),
              one.getIncidentId(),
              AlertKey.parse(one.getAlertKey()),
              one.getOpen(),
              one.getOver(),
              Map.copyOf(one.getAnnotations())));
    }
    alert.endsAt = state.getEndsAt();
    return alert;
  }
}
