package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.AlertState;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AlertBookTest {
  private static final Instant NOW = TestFinding.DETECTED.plusSeconds(2);
  private static final TestFinding F1 = TestFinding.of("f1");
  private static final AlertKey MISSING =
      AlertKey.of(
          AlertName.DATA_MISSING,
          AlertSeverity.PAGE,
          "image-gen",
          "*",
          "*",
          "all",
          "count",
          "worse");

  private final AlertBook book = new AlertBook(TestFinding.TIMINGS, TestFinding.LINKS);
  private final Map<AlertKey, AlertState> topic = new TreeMap<>();

  private List<AlertMessage> after(TestFinding finding, Instant now) {
    book.observe(finding.view(), now);
    return due(now);
  }

  private List<AlertMessage> due(Instant now) {
    book.expire(now);
    store();
    return book.due(now);
  }

  private void store() {
    book.takeChanges()
        .forEach(
            (key, state) -> state.ifPresentOrElse(s -> topic.put(key, s), () -> topic.remove(key)));
  }

  private AlertBook restarted() {
    AlertBook next = new AlertBook(TestFinding.TIMINGS, TestFinding.LINKS);
    topic.values().forEach(next::load);
    return next;
  }

  private static AlertMessage only(List<AlertMessage> messages) {
    assertThat(messages).hasSize(1);
    return messages.get(0);
  }

  private static Instant later(Duration by) {
    return NOW.plus(by);
  }

  @Test
  void firesFromTheTimeOfDetection_untilFourSendingsAreMissed() {
    AlertMessage message = only(after(F1, NOW));
    assertThat(message.key().labels())
        .containsExactly(
            Map.entry("alertname", "ServedriftLatencyTailShift"),
            Map.entry("config_id", "c1"),
            Map.entry("deployment", "image-gen"),
            Map.entry("direction", "worse"),
            Map.entry("metric", "latency"),
            Map.entry("model_id", "m1"),
            Map.entry("severity", "page"),
            Map.entry("source", "servedrift"),
            Map.entry("statistic", "tail"));
    assertThat(message.startsAt()).isEqualTo(TestFinding.DETECTED);
    assertThat(message.endsAt()).isEqualTo(NOW.plusSeconds(240));
    assertThat(message.resolved()).isFalse();
    assertThat(message.generatorUrl()).isEqualTo("http://drift.example:8080/api/v1/findings?id=f1");
  }

  @Test
  void startsNow_whenTheClockOfTheTrafficIsAhead() {
    assertThat(only(after(F1.detected(NOW.plusSeconds(30)), NOW)).startsAt()).isEqualTo(NOW);
  }

  @Test
  void isSentAgain_everyMinuteAndAtEveryChange() {
    after(F1, NOW);
    assertThat(due(NOW.plusSeconds(59))).isEmpty();
    assertThat(only(due(NOW.plusSeconds(60))).endsAt()).isEqualTo(NOW.plusSeconds(300));
    assertThat(after(F1, NOW.plusSeconds(61))).isEmpty();
    AlertMessage changed = only(after(F1.because("batching", 0.27), NOW.plusSeconds(62)));
    assertThat(changed.annotations()).containsEntry("cause", "batching");
    assertThat(changed.startsAt()).isEqualTo(TestFinding.DETECTED);
  }

  @Test
  void isResolvedOnce_andSentSoUntilItIsForgotten() {
    after(F1, NOW);
    AlertMessage resolved = only(after(F1.closed(), NOW.plusSeconds(600)));
    assertThat(resolved.resolved()).isTrue();
    assertThat(resolved.endsAt()).isEqualTo(NOW.plusSeconds(600));
    assertThat(resolved.annotations()).containsEntry("cause", "cache");
    assertThat(only(due(NOW.plusSeconds(660))).endsAt()).isEqualTo(NOW.plusSeconds(600));
    assertThat(due(NOW.plusSeconds(600 + 899))).hasSize(1);
    assertThat(due(NOW.plusSeconds(600 + 900))).isEmpty();
    assertThat(topic).isEmpty();
  }

  @Test
  void isResolved_whenAccepted() {
    after(F1, NOW);
    assertThat(only(after(F1.now(FindingState.ACCEPTED), NOW)).resolved()).isTrue();
  }

  @Test
  void ignoresWhatWasSeenBefore_alsoAfterItsEnd() {
    after(F1, NOW);
    after(F1.closed(), NOW.plusSeconds(10));
    assertThat(after(F1, NOW.plusSeconds(11))).isEmpty();
    assertThat(after(F1.closed(), NOW.plusSeconds(12))).isEmpty();
    assertThat(book.firing().values()).containsOnly(0);
  }

  @Test
  void forwardsNoInfo() {
    assertThat(after(F1.as(Severity.INFO), NOW)).isEmpty();
    assertThat(topic).isEmpty();
  }

  @Test
  void saysNothing_whenAFindingHasOpenedAndClosedBeforeAnythingWasSent() {
    book.observe(F1.view(), NOW);
    book.observe(F1.closed().view(), NOW);
    assertThat(due(NOW)).isEmpty();
    assertThat(topic).isEmpty();
  }

  @Test
  void listsLaterFindingsOfTheIncident_andEndsWithTheLastOne() {
    after(F1, NOW);
    TestFinding f2 = TestFinding.of("f2").in("inc-f1").about("clip", "mean");
    AlertMessage both = only(after(f2, NOW.plusSeconds(10)));
    assertThat(both.key()).isEqualTo(F1.view().key());
    assertThat(both.annotations()).containsEntry("finding_id", "f1");
    assertThat(both.annotations().get("findings").lines())
        .hasSize(2)
        .anyMatch(line -> line.startsWith("clip mean worse, ") && line.endsWith(", f2"));
    AlertMessage left = only(after(F1.closed(), NOW.plusSeconds(20)));
    assertThat(left.resolved()).isFalse();
    assertThat(left.annotations().get("findings")).contains(", over, f1");
    assertThat(only(after(f2.closed(), NOW.plusSeconds(30))).resolved()).isTrue();
  }

  @Test
  void keepsTheTicket_whenItBecomesAPage_andAfterThePageIsOver() {
    TestFinding ticket = F1.as(Severity.TICKET);
    AlertMessage first = only(after(ticket, NOW));
    assertThat(first.key().severity()).isEqualTo(AlertSeverity.TICKET);

    List<AlertMessage> both = after(F1, NOW.plusSeconds(60));
    assertThat(both).extracting(one -> one.key().severity().word()).contains("page", "ticket");
    assertThat(both).noneMatch(AlertMessage::resolved);

    List<AlertMessage> downgraded = after(ticket, NOW.plusSeconds(61));
    assertThat(downgraded)
        .extracting(one -> one.key().severity().word() + " " + one.resolved())
        .containsExactlyInAnyOrder("page true", "ticket false");

    assertThat(after(F1.as(Severity.INFO), NOW.plusSeconds(62)))
        .singleElement()
        .matches(one -> one.resolved() && one.key().equals(first.key()));
  }

  @Test
  void givesATicketItsOwnAlert_whenThePageItWasListedInIsOver() {
    after(F1, NOW);
    TestFinding ticket =
        TestFinding.of("f2").in("inc-f1").about("queue", "mean").as(Severity.TICKET);
    assertThat(only(after(ticket, NOW.plusSeconds(1))).key()).isEqualTo(F1.view().key());
    List<AlertMessage> after = after(F1.closed(), NOW.plusSeconds(50));
    assertThat(after)
        .extracting(one -> one.key().label("metric") + " " + one.resolved())
        .containsExactlyInAnyOrder("latency true", "queue false");
    AlertMessage own = after.stream().filter(one -> !one.resolved()).findFirst().orElseThrow();
    assertThat(own.startsAt()).isEqualTo(NOW.plusSeconds(50));
    assertThat(own.annotations()).containsEntry("finding_id", "f2");
  }

  @Test
  void joinsTheAlertWithTheSameLabels_ofAnotherIncident() {
    after(F1, NOW);
    TestFinding other = TestFinding.of("f9");
    assertThat(only(after(other, NOW.plusSeconds(5))).startsAt()).isEqualTo(TestFinding.DETECTED);
    assertThat(only(after(F1.closed(), NOW.plusSeconds(6))).resolved()).isFalse();
    assertThat(only(after(other.closed(), NOW.plusSeconds(7))).resolved()).isTrue();
  }

  @Test
  void firesAnew_whenTheSameLabelsComeBackAfterTheirEnd() {
    after(F1, NOW);
    after(F1.closed(), NOW.plusSeconds(60));
    AlertMessage again = only(after(TestFinding.of("f9"), NOW.plusSeconds(70)));
    assertThat(again.resolved()).isFalse();
    assertThat(again.startsAt()).isEqualTo(NOW.plusSeconds(60));
    assertThat(again.annotations()).containsEntry("finding_id", "f9");
    assertThat(topic).hasSize(1);
  }

  @Test
  void goesOnFromWhatWasStored() {
    after(F1, NOW);
    after(TestFinding.of("f2").in("inc-f1").as(Severity.TICKET), NOW.plusSeconds(3));
    AlertBook next = restarted();
    AlertMessage resent = only(next.due(NOW.plusSeconds(20)));
    AlertMessage before = only(due(later(Duration.ofMinutes(2))));
    assertThat(resent.saysSameAs(before)).isTrue();
    assertThat(next.takeChanges()).isEmpty();

    next.observe(F1.closed().view(), NOW.plusSeconds(30));
    List<AlertMessage> after = next.due(NOW.plusSeconds(30));
    assertThat(after).hasSize(2);
    assertThat(after.stream().filter(AlertMessage::resolved))
        .singleElement()
        .matches(one -> one.key().equals(F1.view().key()));
  }

  @Test
  void saysTheEnd_whenAStoredAlertIsOverBeforeItIsSentAgain() {
    after(F1, NOW);
    AlertBook next = restarted();
    next.observe(F1.closed().view(), NOW.plusSeconds(30));
    assertThat(only(next.due(NOW.plusSeconds(30))).resolved()).isTrue();
  }

  @Test
  void letsGoOfTheDeploymentsOfOthers() {
    after(F1, NOW);
    after(TestFinding.of("f2").at("chat"), NOW);
    assertThat(book.release("chat"::equals)).extracting(AlertKey::deployment).containsOnly("chat");
    assertThat(only(due(NOW.plusSeconds(60))).key().deployment()).isEqualTo("image-gen");
    assertThat(topic).as("not forgotten, only not ours").hasSize(2);
  }

  @Test
  void raisesAndClearsConditions_ofItsOwnDeploymentsOnly() {
    Condition missing = new Condition(MISSING, Map.of("summary", "silent"), NOW.minusSeconds(900));
    book.conditions(List.of(missing), deployment -> false, NOW);
    assertThat(due(NOW)).isEmpty();
    book.conditions(List.of(missing), deployment -> true, NOW);
    AlertMessage raised = only(due(NOW));
    assertThat(raised.startsAt()).isEqualTo(NOW.minusSeconds(900));
    assertThat(raised.generatorUrl()).isEqualTo("http://drift.example:8080/");
    assertThat(raised.annotations())
        .containsOnlyKeys("summary", "runbook_url", "dashboard_url")
        .containsEntry("summary", "silent")
        .containsEntry("runbook_url", "https://wiki.example/RUNBOOK#servedriftdatamissing");
    Condition longer = new Condition(MISSING, Map.of("summary", "silent"), NOW);
    book.conditions(List.of(longer), deployment -> true, NOW.plusSeconds(1));
    assertThat(due(NOW.plusSeconds(1))).isEmpty();
    book.conditions(List.of(), deployment -> false, NOW.plusSeconds(2));
    assertThat(due(NOW.plusSeconds(2))).isEmpty();
    book.conditions(List.of(), deployment -> true, NOW.plusSeconds(3));
    assertThat(only(due(NOW.plusSeconds(3))).resolved()).isTrue();
  }

  @Test
  void leavesAlertsOfFindingsAlone_whenConditionsAreOver() {
    after(F1, NOW);
    book.conditions(List.of(), deployment -> true, NOW.plusSeconds(1));
    book.clear(F1.view().key(), NOW.plusSeconds(1));
    assertThat(book.firing()).containsEntry(AlertSeverity.PAGE, 1);
  }

  @Test
  void staysSmall_whenAnIncidentHasManyFindings() {
    List<AlertMessage> said = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      said.addAll(after(crowd(i), NOW.plusSeconds(i)));
    }
    AlertMessage message = said.get(said.size() - 1);
    assertThat(message.annotations().get("findings").lines()).hasSizeLessThanOrEqualTo(21);
    assertThat(message.annotations().values()).allMatch(text -> text.length() <= 4000);
    assertThat(Optional.ofNullable(topic.get(message.key())).map(EventCodec::encode).orElseThrow())
        .hasSizeLessThan(1_000_000);
    for (int i = 0; i < 499; i++) {
      after(crowd(i).closed(), NOW.plusSeconds(800));
    }
    assertThat(book.firing()).containsEntry(AlertSeverity.PAGE, 1);
  }

  /** With names as long as they get. */
  private static TestFinding crowd(int i) {
    return TestFinding.of("f-" + i)
        .in("inc")
        .at("d".repeat(300))
        .about("m".repeat(250) + i, "mean")
        .because("cache", 0.11);
  }
}
