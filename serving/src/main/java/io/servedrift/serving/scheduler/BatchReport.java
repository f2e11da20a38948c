package io.servedrift.serving.scheduler;

import java.time.Duration;
import java.util.List;

/**
 * Tells the recorders what the scheduler does with their requests. Owned by the stepping thread.
 */
final class BatchReport {

  private BatchReport() {}

  static void admitted(Admission admission) {
    for (Job job : admission.preempted) {
      job.recorder.preempted();
    }
    for (Job job : admission.started) {
      job.recorder.priority(job.priority());
      job.recorder.admitted(admission.running, admission.waiting);
    }
    for (Job job : admission.resumed) {
      job.recorder.resumed();
    }
  }

  /** A step was made. */
  static void stepped(Step step, Duration spent) {
    List<Job> batch = step.batch();
    for (Job job : batch) {
      // The planner gives the same list as long as the batch is the same.
      if (job.company != batch) {
        changed(job, batch);
        job.company = batch;
      }
      job.recorder.step(batch.size());
      job.recorder.addStage("denoise", spent, batch.size());
    }
    for (Job job : step.stalled()) {
      job.recorder.stalledStep();
    }
  }

  /** What changed since the latest step of this request, seen from it. */
  private static void changed(Job job, List<Job> batch) {
    List<Job> before = job.company;
    for (Job other : batch) {
      if (other == job || before.contains(other)) {
        continue;
      }
      if (before.isEmpty()) {
        job.recorder.neighbour(other.request.requestId(), other.request.adapters());
      } else {
        job.recorder.neighbourJoined(other.request.requestId(), other.request.adapters());
      }
    }
    for (Job other : before) {
      if (!batch.contains(other)) {
        job.recorder.neighbourLeft();
      }
    }
  }
}
