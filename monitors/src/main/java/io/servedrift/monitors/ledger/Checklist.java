package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigFingerprint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A YAML form of everything that belongs to a score. It is made from the axes that count for the
 * fingerprint, so an axis that is added there is asked for here. Left empty, a line is null: not
 * known.
 */
public final class Checklist {
  private static final int COLUMN = 34;

  private Checklist() {}

  /** The lines of the form. */
  public static List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "# The configuration a score was measured on. Fill in what you know; what stays empty");
    lines.add(
        "# is recorded as not known. Resolved values, as the process reports them, not the flags.");
    lines.add("config:");
    tree(ConfigFingerprint.configAxes(), AxisReasons.config(), lines);
    lines.add("model:");
    tree(ConfigFingerprint.modelAxes(), AxisReasons.model(), lines);
    return lines;
  }

  private static void tree(
      Collection<String> axes, Map<String, String> reasons, List<String> lines) {
    String[] open = new String[0];
    for (String axis : axes) {
      String[] path = axis.split("\\.", -1);
      int shared = 0;
      while (shared < path.length - 1
          && shared < open.length - 1
          && path[shared].equals(open[shared])) {
        shared++;
      }
      for (int depth = shared; depth < path.length - 1; depth++) {
        lines.add("  ".repeat(depth + 1) + path[depth] + ":");
      }
      String leaf = "  ".repeat(path.length) + path[path.length - 1] + ":";
      String reason = reasons.get(axis);
      lines.add(
          reason == null
              ? leaf
              : leaf + " ".repeat(Math.max(1, COLUMN - leaf.length())) + "# " + reason);
      open = path;
    }
  }
}
