package io.servedrift.monitors.cli;

import io.javalin.Javalin;
import io.javalin.util.JavalinBindException;
import io.servedrift.ingest.http.CloudEventsEndpoint;
import io.servedrift.ingest.http.EndpointSettings;
import io.servedrift.ingest.http.EventsEndpoint;
import io.servedrift.ingest.http.OtlpEndpoint;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.monitors.alert.Condition;
import io.servedrift.monitors.alert.DataWatch;
import io.servedrift.monitors.alert.MissingData;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.ops.BrokerCheck;
import io.servedrift.monitors.ops.CheckResult;
import io.servedrift.monitors.ops.Health;
import io.servedrift.monitors.ops.HealthCheck;
import io.servedrift.monitors.ops.LatencyMetrics;
import io.servedrift.monitors.ops.MetricsEndpoint;
import io.servedrift.monitors.ops.MonitorMetrics;
import io.servedrift.monitors.ops.ReadModelMetrics;
import io.servedrift.monitors.ops.StreamsMetrics;
import io.servedrift.monitors.page.Api;
import io.servedrift.monitors.page.Page;
import io.servedrift.monitors.page.ReadModel;
import io.servedrift.monitors.page.ReadModelConsumer;
import io.servedrift.monitors.page.ReadModelLimits;
import io.servedrift.monitors.page.ReadModelSummary;
import io.servedrift.monitors.page.Runbook;
import io.servedrift.monitors.page.StandingBoard;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ConfigRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live monitor in this process: topology, HTTP intake, read model, API, page, metrics and
 * health. Closing it ends intake first, writes what is in flight, and leaves the consumer group.
 */
final class MonitorProcess implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MonitorProcess.class);

  private final Parts parts;
  private final Settings settings;
  private final ListenAddress listen;
  private final HttpOptions http;
  private final Topics topics;
  private final Tally tally = new Tally();
  private final StandingBoard standings = new StandingBoard();
  private final LatencyMetrics latencies;
  private final ReadModel readModel;
  private final DataWatch dataWatch;
  private final EventPublisher publisher;
  private final MonitorStreams streams;
  private final @Nullable AlertSending alerts;
  private volatile @Nullable EventsEndpoint intake;
  private final Javalin server;

  private MonitorProcess(
      Parts parts, Settings settings, ListenAddress listen, BrokerConnection broker, Clock clock)
      throws InterruptedException, TimeoutException, IOException {
    this.parts = parts;
    this.listen = listen;
    this.settings = settings;
    this.http = HttpOptions.of(settings, listen);
    http.warnings().forEach(LOG::warn);
    this.alerts = AlertOptions.given(settings) ? new AlertSending(settings) : null;
    this.topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    Map<String, Object> kafka = new HashMap<>(broker.kafka());
    EventReader reader = PaneOptions.reader(settings, clock);
    if (broker.embedded()) {
      broker.makeTopics(topics);
    }
    this.readModel =
        new ReadModel(ReadModelLimits.ofLengths(settings.get(SettingsCatalogue.WINDOWS)));
    this.latencies = new LatencyMetrics(settings.get(SettingsCatalogue.METRIC_CONFIG_LIMIT));
    this.dataWatch =
        new DataWatch(
            PolicyFile.of(settings),
            PaneOptions.layouts(settings),
            settings.get(SettingsCatalogue.SILENCE),
            settings.get(SettingsCatalogue.WINDOWS).get(0));
    this.streams = parts.add("topology", streams(kafka, reader, clock));
    streams.start();
    ReadModelConsumer consumer =
        parts.add(
            "read model", ReadModelConsumer.start(kafka, topics, readModel, reader, dataWatch));
    this.publisher =
        parts.add(
            "publisher",
            new EventPublisher(
                PublisherSettings.defaults(broker.bootstrapServers()).withKafka(broker.kafka()),
                topics));
    BrokerCheck brokerCheck = parts.add("broker check", BrokerCheck.start(kafka));
    List<HealthCheck> checks = new ArrayList<>(List.of(brokerCheck, new TopologyCheck(), consumer));
    if (alerts != null) {
      checks.add(alerts);
    }
    this.server = server(reader, clock, checks);
    parts.add("HTTP server", server::stop);
    listen();
    if (alerts != null) {
      parts
          .add("alerts", alerts)
          .start(kafka, topics, address(), () -> missingData(consumer), clock);
    }
  }

  /** Starts everything. Returns before the topology is ready; {@code /-/ready} tells. */
  static MonitorProcess start(
      Settings settings, ListenAddress listen, BrokerConnection broker, Clock clock)
      throws InterruptedException, TimeoutException, IOException {
    Parts parts = new Parts();
    try {
      return new MonitorProcess(parts, settings, listen, broker, clock);
    } catch (InterruptedException | TimeoutException | IOException | RuntimeException e) {
      parts.close();
      throw e;
    }
  }

  /** Known once everything has been read: before, what is missing may only not be read yet. */
  private Optional<List<Condition>> missingData(ReadModelConsumer consumer) {
    return consumer.check().ready() && dataWatch.closedThrough().isPresent()
        ? Optional.of(dataWatch.check().stream().map(MissingData::condition).toList())
        : Optional.empty();
  }

  private void listen() {
    try {
      server.start();
    } catch (JavalinBindException e) {
      throw new CommandFailure(ExitCode.USAGE, listen.taken(), e);
    }
  }

  private MonitorStreams streams(Map<String, Object> kafka, EventReader reader, Clock clock)
      throws InterruptedException, TimeoutException, IOException {
    MonitorStreams.Options options =
        new MonitorStreams.Options(
            kafka,
            settings.applicationId(),
            stateFolder().toString(),
            settings.get(SettingsCatalogue.TICK),
            settings.get(SettingsCatalogue.COMMIT_INTERVAL),
            settings.get(SettingsCatalogue.STREAM_THREADS),
            settings.get(SettingsCatalogue.DEAD_LETTERS_RAW));
    return new MonitorStreams(
        options,
        topics,
        PaneOptions.of(settings),
        PaneOptions.layouts(settings),
        JudgeOptions.of(settings, ConfigAxes.of(this::config), standings),
        reader,
        tally,
        clock,
        latencies::add);
  }

  private @Nullable ConfigRecord config(String id) {
    ReadModel.KnownConfig known = readModel.config(id);
    return known == null ? null : known.record();
  }

  private Path stateFolder() throws IOException {
    Path given = settings.find(SettingsCatalogue.STATE_DIR).orElse(null);
    if (given != null) {
      return Files.createDirectories(given);
    }
    Path made = Files.createTempDirectory("servedrift-streams-");
    parts.add("state folder", () -> Folders.delete(made));
    return made;
  }

  private EndpointSettings intakeLimits() {
    EndpointSettings limits = EndpointSettings.DEFAULT;
    return new EndpointSettings(
        settings.get(SettingsCatalogue.MAX_REQUEST_BYTES),
        limits.maxItems(),
        limits.maxConcurrent(),
        limits.bodyTimeout(),
        limits.ackTimeout(),
        settings.get(SettingsCatalogue.DEAD_LETTERS_RAW));
  }

  private EventsEndpoint newIntake(EventReader reader) {
    EventsEndpoint made = new EventsEndpoint(reader, publisher, intakeLimits());
    intake = made;
    return made;
  }

  private OtlpEndpoint otlp(boolean logs, EventReader reader, Clock clock) {
    return new OtlpEndpoint(logs, reader, publisher, intakeLimits(), clock);
  }

  private Javalin server(EventReader reader, Clock clock, List<HealthCheck> checks) {
    EventsEndpoint events = newIntake(reader);
    MonitorMetrics metrics =
        new MonitorMetrics(
            BuildInfo.version(),
            this::counters,
            () -> streams.clocks().lagSeconds(clock.instant()),
            () -> standings.judged(readModel.samples()),
            readModel::configLabels,
            settings.get(SettingsCatalogue.METRIC_CONFIG_LIMIT));
    Api api = new Api(readModel);
    return http.server(
        config -> {
          config.routes.post("/v1/events", events);
          config.routes.post("/v1/traces", otlp(false, reader, clock));
          config.routes.post("/v1/logs", otlp(true, reader, clock));
          config.routes.post(
              "/v1/cloudevents", new CloudEventsEndpoint(reader, publisher, intakeLimits(), clock));
          api.register(config.routes);
          new Page(api, http.guarded()).register(config.routes);
          new Runbook().register(config.routes);
          config.routes.get("/metrics", metricsEndpoint(metrics));
          new Health(checks).register(config.routes);
        });
  }

  private MetricsEndpoint metricsEndpoint(MonitorMetrics metrics) {
    ReadModelSummary summary = new ReadModelSummary(readModel);
    MetricsEndpoint endpoint =
        MetricsEndpoint.of(
            metrics,
            latencies,
            new ReadModelMetrics(summary::openFindings, summary::servingEvents),
            new StreamsMetrics(MonitorStreams.states(), streams::stateName, streams::recordsLag));
    if (alerts != null) {
      endpoint.add(alerts.metrics());
    }
    return endpoint;
  }

  /** Of the pipeline and of the read model. */
  private Map<String, Long> counters() {
    Map<String, Long> counters = new HashMap<>(readModel.counters());
    counters.putAll(tally.snapshot());
    EventsEndpoint made = intake;
    if (made != null) {
      // What came over HTTP is Avro when the topology reads it.
      counters.merge("unknown_fields", made.counts().unknownFields(), Long::sum);
    }
    return counters;
  }

  /** Where the server listens, for example {@code http://127.0.0.1:8080}. */
  String address() {
    return listen.url(server.port(), http.secure());
  }

  /** What the monitor has found so far, as the API shows it. */
  ReadModel readModel() {
    return readModel;
  }

  /** Takes events as the HTTP intake does. */
  EventPublisher publisher() {
    return publisher;
  }

  /** Whether the topology reads. */
  boolean ready() {
    return streams.isReady();
  }

  /** What stopped the topology, null while nothing did. */
  @Nullable Throwable failure() {
    return streams.failure();
  }

  @Override
  public void close() {
    parts.close();
  }

  private final class TopologyCheck implements HealthCheck {

    @Override
    public String name() {
      return "topology";
    }

    @Override
    public CheckResult check() {
      return streams.isReady()
          ? CheckResult.ready(streams.state())
          : CheckResult.notReady(streams.state());
    }
  }
}
