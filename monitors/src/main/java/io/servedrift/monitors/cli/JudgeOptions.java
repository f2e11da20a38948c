package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.policy.Policy;

/** How the commands that judge make their judge. */
final class JudgeOptions {
  private JudgeOptions() {}

  static StepTaker.Maker of(Settings settings, ConfigAxes axes) {
    return of(PolicyFile.of(settings), settings, axes);
  }

  /** With a policy that is not, or not only, that of the settings. */
  static StepTaker.Maker of(Policy policy, Settings settings, ConfigAxes axes) {
    return Judge.maker(policy, PaneOptions.of(settings), PaneOptions.layouts(settings), axes);
  }
}
