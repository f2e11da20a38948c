package io.servedrift.schemas;

import java.util.List;
import java.util.Set;

/**
 * Members of a configuration that change without the configuration changing: ports, hosts, process
 * ids, log paths, start seeds, memory and throughput readings, times, faults switched on for a
 * test.
 */
final class VolatileNames {
  private static final Set<String> LAST =
      Set.of(
          "port",
          "ports",
          "host",
          "hosts",
          "hostname",
          "hostnames",
          "addr",
          "address",
          "addresses",
          "ip",
          "ips",
          "endpoint",
          "endpoints",
          "pid",
          "pids",
          "ppid",
          "logfile",
          "logdir",
          "seed",
          "seeds",
          "throughput",
          "uptime",
          "timestamp",
          "utilization",
          "utilisation");
  private static final Set<String> LOG_PLACE =
      Set.of("path", "paths", "dir", "directory", "file", "files", "folder");
  private static final Set<String> MEMORY = Set.of("mem", "memory", "vram", "rss", "heap");
  private static final Set<String> READING =
      Set.of(
          "usage",
          "used",
          "free",
          "avail",
          "available",
          "allocated",
          "reserved",
          "peak",
          "reading",
          "readings");
  private static final Set<String> RATE = Set.of("tokens", "requests", "images", "steps");

  private VolatileNames() {}

  static boolean contains(String name) {
    List<String> words = Sensitive.words(name);
    if (words.isEmpty()) {
      return false;
    }
    String last = words.get(words.size() - 1);
    if (LAST.contains(last)
        || words.contains("fault")
        || words.contains("faults")
        || words.contains("chaos")) {
      return true;
    }
    boolean log = words.contains("log") || words.contains("logs") || words.contains("logging");
    if (log && (LOG_PLACE.contains(last) || words.size() == 1)) {
      return true;
    }
    if (words.stream().anyMatch(MEMORY::contains) && words.stream().anyMatch(READING::contains)) {
      return true;
    }
    int n = words.size();
    if (n >= 3
        && words.get(n - 2).equals("per")
        && last.startsWith("sec")
        && RATE.contains(words.get(n - 3))) {
      return true;
    }
    return n >= 2
        && (words.get(0).equals("start")
            || words.get(0).equals("started")
            || words.get(0).equals("boot"))
        && (last.equals("time") || last.equals("at"));
  }
}
