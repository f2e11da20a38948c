package io.servedrift.monitors.page;

import static io.servedrift.monitors.page.Fixtures.FIVE;
import static io.servedrift.monitors.page.Fixtures.T0;
import static io.servedrift.monitors.page.Fixtures.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.page.ReadModelLimits.Retention;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadModelTest {
  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());

  private static ReadModel small(int series, long bytes) {
    return new ReadModel(
        new ReadModelLimits(
            List.of(new Retention(FIVE, Duration.ofHours(1))), series, bytes, 2, 2, 1 << 20, 2, 2));
  }

  private static List<StoredWindow> all(ReadModel model, SeriesKey key) {
    return model.windows(FIVE, key::equals, null, null).getOrDefault(key, List.of());
  }

  @Test
  void keepsWindowsInTimeOrder_whenTheyComeInAnother() {
    for (int i : new int[] {2, 0, 1}) {
      model.apply(Fixtures.window(key("c1", "latency"), T0.plus(FIVE.multipliedBy(i)), 10 + i));
    }
    assertThat(all(model, key("c1", "latency")))
        .extracting(w -> w.numbers().n())
        .containsExactly(10L, 11L, 12L);
  }

  @Test
  void keepsTheLatterOne_whenAWindowIsSaidTwice() {
    model.apply(Fixtures.window(key("c1", "latency"), T0, 10));
    long bytes = model.windowBytes();
    model.apply(Fixtures.window(key("c1", "latency"), T0, 20));
    model.apply(Fixtures.window(key("c1", "latency"), T0, 10));
    assertThat(all(model, key("c1", "latency")))
        .singleElement()
        .extracting(w -> w.numbers().n())
        .isEqualTo(10L);
    assertThat(model.windowBytes()).isEqualTo(bytes);
  }

  @Test
  void selectsWholeWindows_whenARangeIsGiven() {
    for (int i = 0; i < 6; i++) {
      model.apply(Fixtures.window(key("c1", "latency"), T0.plus(FIVE.multipliedBy(i)), 10 + i));
    }
    assertThat(
            model
                .windows(FIVE, k -> true, T0.plusSeconds(1), T0.plus(FIVE.multipliedBy(4)))
                .get(key("c1", "latency")))
        .extracting(w -> w.numbers().n())
        .containsExactly(11L, 12L, 13L);
  }

  @Test
  void forgetsOldWindows_whenTimeMovesOn() {
    ReadModel hour = small(10, 1 << 20);
    hour.apply(Fixtures.window(key("quiet", "latency"), T0, 10));
    for (int i = 0; i < 100; i++) {
      hour.apply(Fixtures.window(key("busy", "latency"), T0.plus(FIVE.multipliedBy(i)), 10));
    }
    assertThat(all(hour, key("busy", "latency"))).hasSize(13);
    assertThat(all(hour, key("quiet", "latency"))).isEmpty();
    hour.apply(Fixtures.window(key("late", "latency"), T0, 10));
    assertThat(all(hour, key("late", "latency"))).isEmpty();
    assertThat(hour.ignored()).containsEntry("window_expired", 1L);
  }

  @Test
  void staysWithinItsBytes_whenManySeriesReport() {
    ReadModel tight = small(10_000, 100_000);
    for (int i = 0; i < 2000; i++) {
      tight.apply(Fixtures.window(key("c" + i, "latency"), T0, 50));
      assertThat(tight.windowBytes()).isLessThanOrEqualTo(100_000);
    }
    assertThat(all(tight, key("c1999", "latency"))).hasSize(1);
    assertThat(all(tight, key("c0", "latency"))).isEmpty();
    assertThat(tight.evicted()).containsOnlyKeys("window");
  }

  @Test
  void countsWhatItLeavesOut_whenSeriesExceedTheLimit() {
    ReadModel tight = small(3, 1 << 20);
    for (int i = 0; i < 5; i++) {
      tight.apply(Fixtures.window(key("c" + i, "latency"), T0, 10));
    }
    assertThat(tight.latest(FIVE)).hasSize(3);
    assertThat(tight.ignored()).containsEntry("series_limit", 2L);
    assertThat(tight.evicted()).isEmpty();
  }

  @Test
  void takesTheNewSeriesForTheOneSilentLongest_whenSeriesExceedTheLimit() {
    ReadModel tight = small(3, 1 << 20);
    List<String> first = List.of("gone", "quiet", "busy");
    for (int i = 0; i < 3; i++) {
      for (String series : first.subList(i, 3)) {
        tight.apply(Fixtures.window(key(series, "latency"), T0.plus(FIVE.multipliedBy(i)), 10));
      }
    }
    long before = tight.windowBytes();
    Instant now = T0.plus(FIVE.multipliedBy(3));
    tight.apply(Fixtures.window(key("new", "latency"), now, 10));
    tight.apply(Fixtures.window(key("newer", "latency"), now, 10));
    tight.apply(Fixtures.window(key("busy", "latency"), now, 10));
    // Busy reported up to now: it keeps its place.
    tight.apply(Fixtures.window(key("newest", "latency"), now, 10));

    assertThat(tight.latest(FIVE))
        .extracting(w -> w.series().configId())
        .containsExactlyInAnyOrder("new", "newer", "busy");
    assertThat(all(tight, key("busy", "latency"))).hasSize(4 - 2 + 2);
    assertThat(tight.windowBytes()).isLessThan(before + 2 * before / 6);
    assertThat(tight.evicted()).containsOnly(Map.entry("series", 2L));
    assertThat(tight.ignored()).containsOnly(Map.entry("series_limit", 1L));
    assertThat(tight.counters())
        .containsOnly(
            Map.entry("read_model_evicted_series", 2L),
            Map.entry("read_model_ignored_series_limit", 1L));
  }

  @Test
  void keepsServingEventsWithinTheirBytes_whenTheyAreLarge() {
    int size = EventCodec.encode(large("e0")).length;
    ReadModel tight =
        new ReadModel(
            new ReadModelLimits(
                List.of(new Retention(FIVE, Duration.ofHours(1))),
                1,
                1 << 20,
                1,
                100,
                3L * size,
                1,
                1));
    for (String id : List.of("e0", "e1", "e2", "e1", "e3")) {
      tight.apply(large(id));
    }
    assertThat(tight.servingEvents())
        .extracting(ServingEvent::getEventId)
        .containsExactly("e1", "e2", "e3");
    assertThat(tight.evicted()).containsOnly(Map.entry("serving_event", 1L));
  }

  private static ServingEvent large(String id) {
    ServingEvent event = Fixtures.event(id, T0, ServingEventKind.DEPLOY);
    event.setNode("n".repeat(120));
    return event;
  }

  @Test
  void countsCorrectionsPerWindow_whenRecordsCameLate() {
    SeriesKey latency = key("c1", "latency");
    model.apply(Fixtures.lateRequest("c1", T0));
    model.apply(Fixtures.lateRequest("c1", T0));
    model.apply(Fixtures.lateRequest("c1", T0.plus(FIVE)));
    model.apply(Fixtures.lateScore("c1", T0.plusSeconds(1), "clip"));
    model.apply(Fixtures.lateRequest("c2", T0));
    Instant end = T0.plus(FIVE);
    assertThat(model.corrections(latency, T0, end)).isEqualTo(2);
    assertThat(model.corrections(latency, end, end.plus(FIVE))).isEqualTo(1);
    assertThat(model.corrections(key("c1", "clip"), T0, end)).isEqualTo(3);
    assertThat(model.corrections(key("*", "latency"), T0, end)).isEqualTo(3);
    assertThat(model.corrections(key("c3", "latency"), T0, end)).isZero();
  }

  @Test
  void forgetsTheOldestCorrections_whenTheyAreTooMany() {
    ReadModel tight = small(10, 1 << 20);
    for (int i = 0; i < 10; i++) {
      tight.apply(Fixtures.lateRequest("c1", T0.plusSeconds(i)));
    }
    assertThat(tight.corrections(key("c1", "latency"), T0, T0.plus(FIVE))).isEqualTo(2);
  }

  @Test
  void replacesAndBounds_whenDictionaryEventsAndFindingsRepeat() {
    ReadModel tight = small(10, 1 << 20);
    for (String id : List.of("a", "b", "a", "c")) {
      tight.apply(Fixtures.config(id, "{\"runtime\":{\"name\":\"" + id + "\"}}"));
      tight.apply(Fixtures.event(id, T0, ServingEventKind.CACHE_FLUSH));
      tight.apply(Fixtures.finding(id, T0, FindingState.OPEN));
    }
    tight.apply(Fixtures.finding("a", T0, FindingState.CLOSED));
    assertThat(tight.configs()).containsOnlyKeys("a", "c");
    assertThat(tight.models()).containsOnlyKeys("m1");
    assertThat(tight.servingEvents()).extracting(e -> e.getEventId()).containsExactly("a", "c");
    assertThat(tight.findings())
        .extracting(f -> f.getFindingId() + f.getState())
        .containsExactly("aCLOSED", "cOPEN");
  }

  @Test
  void onlyCounts_whenRecordsAreDeadLettersOrOfNoUse() {
    for (int i = 0; i < 300; i++) {
      model.apply(new DeadLetter(T0, "bad_json", "d", "o", null, 1L, "s"));
      model.apply(new DeadLetter(T0, "reason" + i, "d", "o", null, 1L, "s"));
    }
    model.apply(new Tick(T0));
    model.apply(new Watermark(0, 12, T0, T0));
    model.apply(Fixtures.window(key("c", "latency"), T0, Duration.ofMinutes(7), new double[] {1}));
    assertThat(model.deadLetters()).containsEntry("bad_json", 300L).hasSizeLessThanOrEqualTo(101);
    assertThat(model.deadLetters().values().stream().mapToLong(n -> n).sum()).isEqualTo(600);
    assertThat(model.ignored())
        .containsOnly(Map.entry("type_Watermark", 1L), Map.entry("window_length", 1L));
  }

  @Test
  void givesMetricSamples_whenWindowsHaveClosed() {
    model.apply(Fixtures.window(key("c1", "latency"), T0, 100));
    model.apply(Fixtures.window(key("c1", "latency"), T0.plus(FIVE), 1200));
    model.apply(
        Fixtures.config(
            "c1", "{\"runtime\":{\"name\":\"sglang\",\"version\":\"0.5.7\"},\"cache\":{}}"));
    assertThat(model.samples())
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.n()).isEqualTo(1200);
              assertThat(sample.window()).isEqualTo("5m");
              assertThat(sample.p99Lower()).isLessThan(sample.p99());
            });
    assertThat(model.configLabels())
        .singleElement()
        .extracting("runtimeVersion")
        .isEqualTo("0.5.7");
  }

  @Test
  void refuses_whenTheLengthIsNotKept() {
    assertThatThrownBy(() -> model.windows(Duration.ofMinutes(7), k -> true, null, null))
        .hasMessageContaining("PT7M")
        .hasMessageContaining("PT5M");
  }
}
