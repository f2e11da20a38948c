package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who came before whom, hour by hour. */
class GroupTimelineTest {
  private static final long START = 20_000 * Micros.DAY;
  private static final EventLog NO_EVENTS = new EventLog();

  private final GroupTimeline timeline = new GroupTimeline();

  private void serve(Group group, double fromHour, double toHour, long perHour) {
    for (double hour = fromHour; hour < toHour; hour += .1) {
      timeline.add(group, START + Math.round(hour * Micros.HOUR), perHour / 10);
    }
  }

  private static Group group(String model, String config) {
    return new Group(model, config);
  }

  @Test
  void takesWhatServedBefore_whenAllItsTrafficWentToTheNewOne() {
    serve(group("m", "old"), 0, 24, 100);
    serve(group("m", "new"), 24, 26, 100);

    assertThat(predecessor(group("m", "new"), 26)).contains(group("m", "old"));
  }

  @Test
  void takesWhatServedBefore_whenHalfOfItsShareWent() {
    serve(group("m", "old"), 0, 24, 100);
    serve(group("m", "old"), 24, 28, 20);
    serve(group("m", "new"), 24, 28, 80);

    assertThat(predecessor(group("m", "new"), 28)).contains(group("m", "old"));
  }

  /** In the night all serve less; one more model among many replaces none. */
  @Test
  void takesNone_whenAModelJoinsAFleetInAQuietHour() {
    for (int model = 0; model < 10; model++) {
      serve(group("m" + model, "c"), 0, 24, 100);
      serve(group("m" + model, "c"), 24, 28, 20);
    }
    serve(group("fresh", "c"), 24, 28, 40);

    assertThat(predecessor(group("fresh", "c"), 28)).isEmpty();
  }

  @Test
  void takesNone_whileTheNewOneHasServedFewRequests() {
    serve(group("m", "old"), 0, 24, 100);
    serve(group("m", "new"), 24, 24.2, 100);

    assertThat(predecessor(group("m", "new"), 24.3)).isEmpty();
  }

  @Test
  void callsAModelChanged_onlyWhenTheNewOneHasMostOfTheTraffic() {
    serve(group("m", "c"), 0, 30, 100);
    serve(group("rare", "c"), 24, 30, 20);
    serve(group("next", "d"), 36, 40, 100);

    assertThat(timeline.startedBetween(at(24), at(25), false).model()).isFalse();
    assertThat(timeline.startedBetween(at(36), at(37), false).model()).isTrue();
    assertThat(timeline.startedBetween(at(36), at(37), false).configuration()).isTrue();
  }

  @Test
  void callsAGroupStopped_whenItsRequestsAreMissingNotWhenItIsSeldomUsed() {
    serve(group("busy", "c"), 0, 24, 100);
    timeline.add(group("seldom", "c"), START + Micros.HOUR, 2);
    timeline.add(group("seldom", "c"), START + 20 * Micros.HOUR, 2);

    assertThat(timeline.hasStopped(group("busy", "c"), at(25))).isTrue();
    assertThat(timeline.hasStopped(group("seldom", "c"), at(25))).isFalse();
  }

  private static long at(double hour) {
    return START + Math.round(hour * Micros.HOUR);
  }

  private Optional<Group> predecessor(Group group, double atHour) {
    return timeline.predecessorOf(group, NO_EVENTS, at(atHour));
  }
}
