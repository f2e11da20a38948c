package io.servedrift.serving.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** Runs the stand-alone scorer until a signal. */
@Command(
    name = "scorer",
    description = "Run the stand-alone scorer: image and prompt in, scores out, until a signal.")
final class ScorerCommand extends ServerCommand {

  ScorerCommand(Map<String, String> environment) {
    super(environment);
  }

  @Override
  List<Setting> settings() {
    return ScorerSettings.all();
  }

  @Override
  RunningServer start(SettingReader read) {
    return RunningScorer.start(read);
  }
}
