package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "topics",
    description =
        "Compare the topics on the broker with the catalogue; --apply creates and repairs.")
final class TopicsCommand extends SettingsCommand {

  @Option(
      names = "--apply",
      description = "Create missing topics and set differing topic settings.")
  private boolean apply;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  TopicsCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.BOOTSTRAP_SERVERS,
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.TOPIC_PREFIX);
  }

  @Override
  public Integer call() {
    Settings settings = resolveSettings();
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    try (BrokerConnection broker = BrokerConnection.open(settings);
        TopicProvisioner provisioner = TopicProvisioner.connect(broker.kafka())) {
      List<TopicDifference> found = apply ? provisioner.apply(topics) : provisioner.check(topics);
      print(found, topics);
      boolean differs = found.stream().anyMatch(difference -> !difference.repaired());
      return (differs ? ExitCode.CHECK_FAILED : ExitCode.DONE).code();
    }
  }

  private void print(List<TopicDifference> found, Topics topics) {
    PrintWriter out = context().terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put("topics", topics.all().size());
      ArrayNode differences = document.putArray("differences");
      found.forEach(difference -> differences.add(node(difference)));
      JsonOutput.print(document, out);
      return;
    }
    found.forEach(difference -> out.println(difference.text()));
    long open = found.stream().filter(difference -> !difference.repaired()).count();
    out.printf(
        "%d topics, %d differences%s%n",
        topics.all().size(), open, open > 0 && !apply ? "; --apply repairs what can be" : "");
  }

  private static ObjectNode node(TopicDifference difference) {
    ObjectNode node =
        JsonOutput.object()
            .put("topic", difference.topic())
            .put("kind", difference.kind().name().toLowerCase(Locale.ROOT));
    if (difference.setting() != null) {
      node.put("setting", difference.setting());
    }
    return node.put("actual", difference.actual())
        .put("wanted", difference.wanted())
        .put("repaired", difference.repaired());
  }
}
