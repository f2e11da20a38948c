package io.servedrift.monitors.cli;

import io.servedrift.monitors.alert.AlertLinks;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Where the demonstration can be looked at while it runs. Immutable.
 *
 * @param address of the monitor
 * @param servers of the broker
 * @param policy file with the policy in force
 * @param panes the options with which panes and windows are cut as here
 */
record DemoLinks(String address, String servers, Path policy, String panes) {
  private static final Duration WINDOW = Duration.ofSeconds(10);

  /** The links of an alert. */
  AlertLinks ofAlert() {
    return new AlertLinks(URI.create(address), null, null, "--bootstrap-servers " + servers);
  }

  /**
   * Page, commands to paste, runbook.
   *
   * @param from when the traffic began
   * @param to until when it is looked at
   */
  List<String> lines(String findingId, Instant from, Instant to) {
    return List.of(
        "page     " + address + "/",
        "explain  ./servedrift explain " + findingId + " --bootstrap-servers " + servers,
        "report   ./servedrift replay --bootstrap-servers "
            + servers
            + " --from "
            + floor(from)
            + " --to "
            + floor(to)
            + " --state cold --policy "
            + policy
            + " "
            + panes
            + " --report demo-report",
        "runbook  " + address + "/runbook");
  }

  /** Windows that are cut at the ends of a range are not shown. */
  private static Instant floor(Instant instant) {
    long length = WINDOW.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(instant.toEpochMilli(), length) * length);
  }
}
