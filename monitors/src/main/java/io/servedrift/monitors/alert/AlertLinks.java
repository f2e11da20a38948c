package io.servedrift.monitors.alert;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where alerts point to. Immutable.
 *
 * @param external address of this monitor as people reach it
 * @param dashboard dashboard that takes {@code var-deployment}, {@code var-config_id} and {@code
 *     var-metric}; null for none
 * @param runbook page with one heading for each alert name; null for none
 */
public record AlertLinks(URI external, @Nullable URI dashboard, @Nullable URI runbook) {
  /** The finding behind an alert; Alertmanager refuses an alert whose source is no URI. */
  String finding(String findingId) {
    return base() + "/api/v1/findings?id=" + encoded(findingId);
  }

  /** The monitor itself, for an alert that no finding raised. */
  String monitor() {
    return base() + "/";
  }

  private String base() {
    return external.toString().replaceAll("/+$", "");
  }

  /** The dashboard of what an alert is about. */
  Optional<String> dashboard(AlertKey key) {
    if (dashboard == null) {
      return Optional.empty();
    }
    String text = dashboard.toString();
    StringBuilder url = new StringBuilder(text).append(text.contains("?") ? "&" : "?");
    for (String name : new String[] {"deployment", "config_id", "metric"}) {
      url.append("var-").append(name).append('=').append(encoded(key.label(name))).append('&');
    }
    return Optional.of(url.substring(0, url.length() - 1));
  }

  /** The heading of an alert in the runbook. */
  Optional<String> runbook(AlertName name) {
    return runbook == null ? Optional.empty() : Optional.of(runbook + "#" + name.anchor());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
