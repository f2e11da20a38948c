package io.servedrift.monitors.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Elapsed time and CPU time of this process since it was made. Not thread-safe. */
final class Stopwatch {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private long wall = System.nanoTime();
  private long cpu = SYSTEM.getProcessCpuTime();

  /** Does something that is not to be measured. */
  void without(Runnable work) {
    long wallBefore = System.nanoTime();
    long cpuBefore = SYSTEM.getProcessCpuTime();
    work.run();
    wall += System.nanoTime() - wallBefore;
    cpu += SYSTEM.getProcessCpuTime() - cpuBefore;
  }

  /** What was done until now. */
  Phase phase(String name, long records) {
    return new Phase(
        name, records, (System.nanoTime() - wall) / 1e9, (SYSTEM.getProcessCpuTime() - cpu) / 1e9);
  }
}
