package io.servedrift.serving.cli;

import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.serving.engine.TorchRuntime;
import io.servedrift.serving.score.ScorerModel;
import io.servedrift.serving.score.http.ScoreLimits;
import io.servedrift.serving.score.http.ScorerService;
import io.servedrift.serving.score.http.ScorerServiceSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stand-alone scorer with its model and publisher; closed in reverse order. */
final class RunningScorer implements RunningServer {

  private static final Logger LOG = LoggerFactory.getLogger(RunningScorer.class);

  private final ListenOptions listen;
  private final ScorerModel model;
  private final @Nullable EventPublisher publisher;
  private final ScorerService service;

  private RunningScorer(
      ListenOptions listen, ScorerModel model, @Nullable EventPublisher publisher) {
    this.listen = listen;
    this.model = model;
    this.publisher = publisher;
    this.service =
        listen.start(
            () ->
                ScorerService.start(
                    model,
                    publisher,
                    new ScorerServiceSettings(listen.http(), listen.token(), ScoreLimits.DEFAULT)));
  }

  /**
   * Starts everything.
   *
   * @throws SettingsException with every problem of the settings
   * @throws StartException when something cannot start; nothing of it stays behind
   */
  static RunningScorer start(SettingReader read) {
    Path directory =
        read.needed(ScorerSettings.SCORER, read.path(ScorerSettings.SCORER), Path.of(""));
    Optional<PublishOptions> publish =
        read.hostPorts(ScorerSettings.BOOTSTRAP_SERVERS)
            .map(servers -> PublishOptions.of(read, servers));
    ListenOptions listen = ListenOptions.of(read, ScorerSettings.PORT);
    String device =
        read.matching(ServeSettings.DEVICE, ServeOptions.DEVICE, "auto, cpu, gpu or gpu:N");
    int threads = read.integer(ServeSettings.THREADS, 1, 1024);
    read.requireNoProblems();
    TorchRuntime.start(threads);
    listen.warnings().forEach(LOG::warn);
    ScorerModel model = load(directory, device);
    EventPublisher publisher = null;
    boolean started = false;
    try {
      publisher = publish.map(PublishOptions::open).orElse(null);
      RunningScorer running = new RunningScorer(listen, model, publisher);
      started = true;
      return running;
    } finally {
      if (!started) {
        close(publisher);
        model.close();
      }
    }
  }

  private static ScorerModel load(Path directory, String device) {
    try {
      return ScorerModel.load(directory, device);
    } catch (IOException | IllegalArgumentException e) {
      throw new StartException("scorer: " + e.getMessage(), e);
    }
  }

  private static void close(@Nullable EventPublisher publisher) {
    if (publisher != null) {
      publisher.close();
    }
  }

  /** Never: a scorer that fails fails its calls. */
  @Override
  public CompletableFuture<Void> failure() {
    return new CompletableFuture<>();
  }

  @Override
  public String address() {
    return listen.url(service.port());
  }

  @Override
  public void close() {
    service.close();
    close(publisher);
    model.close();
  }
}
