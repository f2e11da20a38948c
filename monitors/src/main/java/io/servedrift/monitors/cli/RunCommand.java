package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.policy.Policy;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "run",
    description =
        "Run the monitor: topology, HTTP intake, API, page, metrics and health, until a signal.")
final class RunCommand extends SettingsCommand {

  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
  private static final Duration LOOK = Duration.ofSeconds(1);

  @Option(
      names = "--print-config",
      description = "Print every setting with its source, secrets masked, and exit.")
  private boolean printConfig;

  @Option(names = "--json", description = "With --print-config: one JSON document.")
  private boolean json;

  RunCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    return SettingsCatalogue.all();
  }

  @Override
  public Integer call() throws Exception {
    Settings settings = resolveSettings();
    Policy policy = PolicyFile.of(settings);
    if (printConfig) {
      print(settings, policy);
      return ExitCode.DONE.code();
    }
    ListenAddress listen = ListenAddress.of(settings);
    listen.requireFree();
    StopSignal signal = StopSignal.install();
    try (BrokerConnection broker = BrokerConnection.open(settings);
        MonitorProcess monitor =
            MonitorProcess.start(settings, listen, broker, context().clock())) {
      context().terminal().out().println("listening on " + monitor.address());
      LOG.info("Kafka at {}, policy {}", broker.bootstrapServers(), policy.hash());
      ExitCode code = signal.await(LOOK);
      while (code == null) {
        Throwable failure = monitor.failure();
        if (failure != null) {
          throw new CommandFailure(
              ExitCode.INTERNAL_ERROR, "the topology stopped: " + failure, failure);
        }
        code = signal.await(LOOK);
      }
      LOG.info("stopping");
      return code.code();
    }
  }

  private void print(Settings settings, Policy policy) {
    PrintWriter out = context().terminal().out();
    List<Settings.Line> lines = settings.lines();
    if (json) {
      var document = JsonOutput.document();
      ArrayNode all = document.putArray("settings");
      lines.forEach(
          line ->
              all.addObject()
                  .put("key", line.key())
                  .put("value", line.value())
                  .put("source", line.source()));
      document.put("policy_hash", policy.hash());
      JsonOutput.print(document, out);
      return;
    }
    int widest = lines.stream().mapToInt(line -> line.key().length()).max().orElse(1);
    for (Settings.Line line : lines) {
      String value = line.value() == null ? "-" : line.value();
      out.printf(Locale.ROOT, "%-" + widest + "s  %s  (%s)%n", line.key(), value, line.source());
    }
    String source = settings.sourceOf(SettingsCatalogue.POLICY).text();
    out.printf(Locale.ROOT, "%-" + widest + "s  %s  (%s)%n", "policy hash", policy.hash(), source);
  }
}
