package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * SGLang Diffusion's {@code performance.log} (or files of {@code --perf-dump-path}) by itself:
 * times of pipeline, stages and steps, and nothing of the workload. Together with the request log
 * give both files to the format of the latter.
 */
final class PerfLog implements Adapter {
  static final String OTHER = "a record of another kind than a request's stages";

  private final AdapterSettings settings;
  private final SourceTimes times;

  PerfLog(AdapterSettings settings) {
    this.settings = settings;
    this.times = new SourceTimes(settings.zone());
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      Rejections.badJson(line, out);
      return;
    }
    if (!PerfRecord.isOne(object)) {
      out.skip(OTHER, line);
      return;
    }
    PerfRecord record = PerfRecord.of(object, times, out::note);
    if (record == null) {
      Rejections.missing("request_id", "given", line, out);
    } else if (record.at() == null) {
      Rejections.badTime("timestamp", times, line, out);
    } else {
      EventDraft draft =
          EventDraft.request(settings)
              .put("request_id", record.requestId())
              .put("finished_at", record.at())
              .put("status", "ok")
              .put("latency_seconds", record.totalSeconds())
              .put("inference_seconds", record.totalSeconds());
      record.addTo(draft);
      out.event(draft.json(), line);
    }
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    times.requireZone();
  }
}
