package io.servedrift.monitors.alert;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the forwarder counts and says about itself. Thread-safe. */
final class ForwarderCounters {
  private static final Logger LOG = LoggerFactory.getLogger(ForwarderCounters.class);

  private long findings;
  private long unreadable;
  private boolean running = true;
  private String detail = "starting";
  private Map<AlertSeverity, Integer> firing = none();

  private static Map<AlertSeverity, Integer> none() {
    Map<AlertSeverity, Integer> none = new EnumMap<>(AlertSeverity.class);
    for (AlertSeverity severity : AlertSeverity.values()) {
      none.put(severity, 0);
    }
    return none;
  }

  synchronized void read() {
    findings++;
  }

  /** Counts a record that is passed over; the first one is logged. */
  synchronized void unreadable(String why) {
    unreadable++;
    if (unreadable == 1) {
      LOG.warn("alerts: a record is no finding and is passed over; others are counted: {}", why);
    }
  }

  synchronized void working(String how, Map<AlertSeverity, Integer> alerts) {
    detail = how;
    firing = alerts;
  }

  /** No alert is known to fire while nothing is read. */
  synchronized void waiting(String forWhat) {
    detail = forWhat;
    firing = none();
  }

  synchronized void ended() {
    running = false;
    waiting("its thread has ended");
  }

  synchronized ForwarderStatus status(Collection<ReplicaSender> senders) {
    return new ForwarderStatus(
        running,
        detail,
        firing,
        findings,
        unreadable,
        senders.stream().map(ReplicaSender::status).toList());
  }
}
