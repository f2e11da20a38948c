package io.servedrift.monitors.cli;

import io.javalin.Javalin;
import io.javalin.util.JavalinBindException;
import io.servedrift.ingest.gateway.Gateway;
import io.servedrift.ingest.gateway.GatewayExtras;
import io.servedrift.ingest.gateway.GatewaySettings;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherMetrics;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.ops.BrokerCheck;
import io.servedrift.monitors.ops.GatewayMetrics;
import io.servedrift.monitors.ops.Health;
import io.servedrift.monitors.ops.MetricsEndpoint;
import io.servedrift.schemas.Topics;
import java.net.BindException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A gateway with its publisher and its admin listener. Closing it ends the traffic first. */
final class GatewayProcess implements AutoCloseable {

  private final Parts parts;
  private final GatewaySettings settings;
  private final ListenAddress admin;
  private final HttpOptions http;
  private final Gateway gateway;
  private final Javalin server;

  private GatewayProcess(
      Parts parts,
      GatewaySettings gatewaySettings,
      GatewayExtras extras,
      Settings settings,
      ListenAddress admin,
      BrokerConnection broker,
      Clock clock) {
    this.parts = parts;
    this.settings = gatewaySettings;
    this.admin = admin;
    this.http = HttpOptions.of(settings, admin);
    EventPublisher publisher =
        parts.add(
            "publisher",
            new EventPublisher(
                PublisherSettings.defaults(broker.bootstrapServers()).withKafka(broker.kafka()),
                new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX))));
    BrokerCheck check = parts.add("broker check", BrokerCheck.start(Map.copyOf(broker.kafka())));
    this.gateway = new Gateway(gatewaySettings, publisher, extras, clock);
    this.server =
        http.server(
            config -> {
              config.routes.get("/metrics", metrics(publisher));
              new Health(List.of(check)).register(config.routes);
            });
    parts.add("admin server", server::stop);
    startServer();
    parts.add("gateway", gateway);
    startGateway();
  }

  /** Starts everything. The broker need not be there. */
  static GatewayProcess start(
      GatewaySettings gateway,
      GatewayExtras extras,
      Settings settings,
      ListenAddress admin,
      BrokerConnection broker,
      Clock clock) {
    Parts parts = new Parts();
    try {
      return new GatewayProcess(parts, gateway, extras, settings, admin, broker, clock);
    } catch (RuntimeException e) {
      parts.close();
      throw e;
    }
  }

  private void startServer() {
    try {
      server.start();
    } catch (JavalinBindException e) {
      throw new CommandFailure(ExitCode.USAGE, admin.taken(), e);
    }
  }

  private void startGateway() {
    try {
      gateway.start();
    } catch (BindException e) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "--listen="
              + settings.host()
              + ":"
              + settings.port()
              + ": cannot listen there, the port is in use or the address is not of this machine;"
              + " port 0 takes a free one",
          e);
    }
  }

  private MetricsEndpoint metrics(EventPublisher publisher) {
    return GatewayMetrics.endpoint(
        new GatewayMetrics(
            () -> gateway.counts().snapshot(),
            () -> fates(publisher.metrics()),
            () ->
                Map.of(
                    "running",
                    (long) gateway.running(),
                    "videos",
                    (long) gateway.videosWaiting(),
                    "captured_bytes",
                    gateway.capturedBytes(),
                    "events_in_flight",
                    publisher.metrics().inFlight())));
  }

  private static Map<String, Long> fates(PublisherMetrics metrics) {
    Map<String, Long> fates = new LinkedHashMap<>();
    fates.put("offered", metrics.offered());
    fates.put("published", metrics.published());
    for (DropReason reason : DropReason.values()) {
      fates.put("dropped_" + reason.code(), metrics.dropped(reason));
    }
    return fates;
  }

  /** Where clients reach the gateway. */
  String address() {
    return new ListenAddress(settings.host(), settings.port()).url(gateway.port(), false);
  }

  /** Where its metrics and health are. */
  String admin() {
    return admin.url(server.port(), http.secure());
  }

  @Override
  public void close() {
    parts.close();
  }
}
