package io.servedrift.monitors.alert;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where alerts point to. Immutable.
 *
 * @param external address of this monitor as people reach it
 * @param dashboard dashboard that takes {@code var-deployment}, {@code var-config_id} and {@code
 *     var-metric}; null for none
 * @param runbook page with one heading for each alert name; null for that of this monitor
 * @param topicOptions options with which a command reaches the topics of this monitor; no secrets
 */
public record AlertLinks(
    URI external, @Nullable URI dashboard, @Nullable URI runbook, String topicOptions) {
  /** The finding behind an alert; Alertmanager refuses an alert whose source is no URI. */
  String finding(String findingId) {
    return base() + "/api/v1/findings?id=" + encoded(findingId);
  }

  /** The command that shows all of a finding, to paste. */
  String explain(String findingId) {
    return "./servedrift explain " + findingId + " " + topicOptions;
  }

  /** The monitor itself, for an alert that no finding raised. */
  String monitor() {
    return base() + "/";
  }

  private String base() {
    return external.toString().replaceAll("/+$", "");
  }

  /** Annotations of an alert that lead on from it. */
  Map<String, String> of(AlertKey key) {
    Map<String, String> links = new TreeMap<>();
    String page = runbook == null ? base() + "/runbook" : runbook.toString();
    links.put("runbook_url", page + "#" + key.label("alertname").toLowerCase(Locale.ROOT));
    if (dashboard != null) {
      links.put("dashboard_url", dashboard(dashboard.toString(), key));
    }
    return links;
  }

  private static String dashboard(String text, AlertKey key) {
    StringBuilder url = new StringBuilder(text).append(text.contains("?") ? "&" : "?");
    for (String name : new String[] {"deployment", "config_id", "metric"}) {
      url.append("var-").append(name).append('=').append(encoded(key.label(name))).append('&');
    }
    return url.substring(0, url.length() - 1);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
