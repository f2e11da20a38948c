package io.servedrift.monitors.cli;

import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.gate.run.GateRunner;
import io.servedrift.monitors.gate.run.KeptPolicy;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The policy a gate judges by, and where it is from.
 *
 * @param text as it is kept with a run
 * @param from where it is from, for people
 */
record GatePolicySource(GatePolicy policy, String text, String from) {
  /**
   * The one that was given, else the one that is kept with the run, else the built-in one.
   *
   * @param given null for none
   * @param folder of the run, null for none
   * @throws CommandFailure when a file cannot be read
   * @throws io.servedrift.monitors.policy.PolicyException with everything that is wrong in it
   */
  static GatePolicySource of(@Nullable Path given, @Nullable Path folder) {
    if (given != null) {
      return read(given, given.toString());
    }
    String unknown = "";
    if (folder != null && GateRunner.isBegun(folder)) {
      Optional<Path> kept = KeptPolicy.in(folder);
      if (kept.isPresent()) {
        return read(kept.get(), kept.get() + ", that of the run");
      }
      unknown = "; the run may have had another: " + folder + " holds no " + KeptPolicy.NAME;
    }
    GatePolicy builtIn = GatePolicy.defaults();
    String text =
        "# The run was made without --policy: by the built-in one, hash " + builtIn.hash() + ".\n";
    return new GatePolicySource(builtIn, text, "the built-in one" + unknown);
  }

  private static GatePolicySource read(Path file, String from) {
    String text = PolicyFile.text(file);
    return new GatePolicySource(GatePolicy.parse(text, file.toString()), text, from);
  }

  /** One line for people. */
  String said() {
    return "policy: " + from + " (hash " + policy.hash() + ")";
  }
}
