package io.servedrift.monitors.alert;

import io.servedrift.schemas.avro.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/** What Alertmanager would hear of findings, for people to read. */
public final class AlertPreview {
  private static final AlertTimings TIMINGS =
      new AlertTimings(Duration.ofMinutes(1), Duration.ofMinutes(15));

  private AlertPreview() {}

  /**
   * The alerts that findings raise, as the body that a sender would post, indented.
   *
   * @param findings their latest versions, in the order in which they opened
   * @param now the time of sending
   */
  public static String of(Collection<Finding> findings, AlertLinks links, Instant now) {
    AlertBook book = new AlertBook(TIMINGS, links);
    findings.forEach(finding -> book.observe(FindingView.of(finding, links), now));
    return AlertmanagerClient.array(book.due(now)).toPrettyString();
  }
}
