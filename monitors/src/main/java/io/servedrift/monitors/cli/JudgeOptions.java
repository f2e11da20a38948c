package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.judge.StepTaker;

/** How the commands that judge make their judge. */
final class JudgeOptions {
  private JudgeOptions() {}

  static StepTaker.Maker of(Settings settings, ConfigAxes axes) {
    return of(settings, axes, new Judge.Audience() {});
  }

  static StepTaker.Maker of(Settings settings, ConfigAxes axes, Judge.Audience audience) {
    return Judge.maker(
        PolicyFile.of(settings),
        PaneOptions.of(settings),
        PaneOptions.layouts(settings),
        axes,
        audience);
  }
}
