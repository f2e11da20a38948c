package io.servedrift.serving.cli;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/** Runs a serving node until a signal. */
@Command(
    name = "serve",
    description = "Run a serving node: text-to-image over HTTP, events to Kafka, until a signal.")
final class ServeCommand extends ServerCommand {

  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private final EngineLoader loader;

  ServeCommand(Map<String, String> environment, EngineLoader loader) {
    super(environment);
    this.loader = loader;
  }

  @Override
  List<Setting> settings() {
    return ServeSettings.all();
  }

  @Override
  RunningServer start(SettingReader read) {
    ServeOptions options = ServeOptions.of(read);
    options.listen().warnings().forEach(LOG::warn);
    return RunningNode.start(options, loader);
  }
}
