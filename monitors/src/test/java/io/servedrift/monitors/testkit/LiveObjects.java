package io.servedrift.monitors.testkit;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * How many objects are alive, by class, after a full collection: what a program holds on to, told
 * by the virtual machine itself. Counts, unlike bytes, are the same on every machine.
 */
public final class LiveObjects {
  /** Number, instances, bytes, class, module. */
  private static final Pattern ROW = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+)");

  private final SortedMap<String, Long> counts;

  private LiveObjects(SortedMap<String, Long> counts) {
    this.counts = counts;
  }

  /** Collects garbage and counts what is left in this process. */
  public static LiveObjects now() {
    String histogram;
    try {
      histogram =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new IllegalStateException("this virtual machine gives no histogram of its heap", e);
    }
    SortedMap<String, Long> counts = new TreeMap<>();
    for (String line : histogram.lines().toList()) {
      Matcher row = ROW.matcher(line);
      if (row.lookingAt()) {
        counts.merge(row.group(2), Long.parseLong(row.group(1)), Long::sum);
      }
    }
    return new LiveObjects(counts);
  }

  /** Objects of all classes whose full names begin like this. */
  public long under(String prefix) {
    return counts.tailMap(prefix).entrySet().stream()
        .takeWhile(one -> one.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Objects of one class by its full name. */
  public long of(String type) {
    return counts.getOrDefault(type, 0L);
  }
}
