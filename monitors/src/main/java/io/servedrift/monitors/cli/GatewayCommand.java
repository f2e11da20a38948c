package io.servedrift.monitors.cli;

import io.servedrift.ingest.gateway.GatewaySettings;
import io.servedrift.monitors.cli.settings.GatewayCatalogue;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

@Command(
    name = "gateway",
    description =
        "Run a measuring reverse proxy in front of a serving runtime, until a signal; its metrics"
            + " and health are on http-host and http-port.")
final class GatewayCommand extends SettingsCommand {

  private static final Logger LOG = LoggerFactory.getLogger(GatewayCommand.class);
  private static final Duration LOOK = Duration.ofMinutes(1);

  GatewayCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    List<Setting<?>> settings = new ArrayList<>(GatewayCatalogue.all());
    settings.addAll(
        List.of(
            SettingsCatalogue.BOOTSTRAP_SERVERS.describedAs(
                "The Kafka cluster that the events go to; it is needed."),
            SettingsCatalogue.TOPIC_PREFIX,
            SettingsCatalogue.HTTP_HOST.describedAs("Address of its metrics and health."),
            SettingsCatalogue.HTTP_PORT.describedAs(
                "Port of its metrics and health; 0 takes a free one and logs it."),
            SettingsCatalogue.ALLOWED_HOSTS,
            SettingsCatalogue.LOG_LEVEL,
            SettingsCatalogue.LOG_FORMAT));
    return settings;
  }

  @Override
  Map<String, String> defaults() {
    return Map.of(SettingsCatalogue.HTTP_PORT.key(), "8091");
  }

  @Override
  public Integer call() throws Exception {
    Settings settings = resolveSettings();
    GatewayOptions options = GatewayOptions.of(settings);
    GatewaySettings gateway = options.gateway();
    ListenAddress admin = ListenAddress.of(settings);
    admin.requireFree();
    StopSignal signal = StopSignal.install();
    try (BrokerConnection broker = BrokerConnection.openCluster(settings);
        GatewayProcess process =
            GatewayProcess.start(
                gateway, options.extras(), settings, admin, broker, context().clock())) {
      context().terminal().out().println("listening on " + process.address());
      LOG.info("metrics and health on {}, upstream {}", process.admin(), gateway.upstream());
      ExitCode code = signal.await(LOOK);
      while (code == null) {
        code = signal.await(LOOK);
      }
      LOG.info("stopping");
      return code.code();
    }
  }
}
