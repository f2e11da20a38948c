package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "version", description = "Show the version of the product and what it runs on.")
final class VersionCommand implements Callable<Integer> {

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  private final CommandContext context;

  VersionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put("version", BuildInfo.version());
      document.put("java", Runtime.version().toString());
      document.put("kafka", BuildInfo.kafkaVersion());
      JsonOutput.print(document, context.terminal().out());
    } else {
      context
          .terminal()
          .out()
          .printf(
              "servedrift %s (Java %s, Kafka %s)%n",
              BuildInfo.version(), Runtime.version(), BuildInfo.kafkaVersion());
    }
    return ExitCode.DONE.code();
  }
}
