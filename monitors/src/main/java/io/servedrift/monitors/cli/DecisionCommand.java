package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Decision;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Option;

/**
 * A command that writes a decision among the serving events: the judge takes it in order, and a
 * replay repeats it. Who decided and why is kept with it.
 */
abstract class DecisionCommand extends SettingsCommand {
  private static final int SECONDS = 30;

  @Option(
      names = "--why",
      paramLabel = "TEXT",
      required = true,
      description = "Reason, kept with the decision.")
  private String why = "";

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who decides; default: the user of this process.")
  private String by = System.getProperty("user.name", "unknown");

  @Option(names = "--json", description = "One JSON document: the decision.")
  private boolean json;

  DecisionCommand(CommandContext context) {
    super(context);
  }

  /** What is decided; the rest of the record is filled in by the caller. */
  abstract Decision.Builder decide(BrokerConnection broker, Topics topics);

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (why.isBlank()) {
      throw CommandFailure.usage("--why: must say a reason");
    }
    Settings settings = resolveSettings();
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    try (BrokerConnection broker = BrokerConnection.open(settings)) {
      Decision decision =
          decide(broker, topics)
              .setDecisionId(UUID.randomUUID().toString())
              .setAt(context().clock().instant().truncatedTo(ChronoUnit.MICROS))
              .setBy(by)
              .setWhy(why)
              .build();
      write(decision, broker, topics);
      print(decision);
    }
    return ExitCode.DONE.code();
  }

  private static void write(Decision decision, BrokerConnection broker, Topics topics)
      throws InterruptedException {
    try (EventPublisher publisher =
        new EventPublisher(
            PublisherSettings.defaults(broker.bootstrapServers()).withKafka(broker.kafka()),
            topics)) {
      var unused = publisher.publish(decision).get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE, "the decision was not written to " + topics.servingEvents(), e);
    }
  }

  private void print(Decision decision) {
    ObjectNode node = EventJson.toJson(decision);
    if (json) {
      JsonOutput.print(node, context().terminal().out());
    } else {
      context()
          .terminal()
          .out()
          .println(
              "decision " + decision.getDecisionId() + " written; the judge takes it in order");
    }
  }
}
