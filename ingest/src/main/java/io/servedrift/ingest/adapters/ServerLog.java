package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.ingest.capture.ConfigCapture;
import io.servedrift.ingest.capture.ConfigTracker;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The log of an SGLang server, language or diffusion: ends of requests in JSON or text, lines of
 * the scheduler, the arguments at the start (from then on the configuration of its requests), and
 * mixed in any order the lines of {@code performance.log}, which are joined by request id.
 */
final class ServerLog implements Adapter {
  static final String BEGIN = "the beginning of a request: its end tells everything";
  static final String ARGUMENTS = "arguments of the server, taken as its configuration";
  static final String OTHER = "a line of the log about something else";

  private static final Pattern FILTER =
      Pattern.compile("^[^\"?]{0,300}SGLANG_LOG_REQUEST_EXCEEDED_MS\\W{1,4}[1-9]");

  /** What clients ask for stands in the same log: none of it is the server's word. */
  private static final Pattern ACCESS =
      Pattern.compile("^[^\"'=]{0,300}\\s\"[A-Z]{3,10} [^\"]* HTTP/\\d");

  private final AdapterSettings settings;
  private final boolean diffusion;
  private final SourceTimes times;
  private final SourceTimes performanceTimes;
  private final StageJoin stages = new StageJoin();
  private final SlowOnlyCheck check = new SlowOnlyCheck();
  private final SchedulerLines scheduler;
  private final @Nullable ConfigTracker tracker;
  private Optional<Captured> captured;
  private @Nullable Captured firstArguments;

  /**
   * @param diffusion whether the server makes images or videos: at the lowest log level the records
   *     themselves do not show it
   */
  ServerLog(AdapterSettings settings, boolean diffusion) {
    this.diffusion = diffusion;
    this.settings = settings;
    this.times = new SourceTimes(settings.zone());
    this.performanceTimes = new SourceTimes(settings.zone());
    this.scheduler = new SchedulerLines(settings);
    this.captured = settings.captured();
    this.tracker =
        settings
            .deployment()
            .map(name -> new ConfigTracker(name, settings.node().orElse(null)))
            .orElse(null);
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    byte[] content = line.content();
    if (content.length > 0 && content[0] == '{') {
      json(line, out);
    } else {
      text(new String(content, StandardCharsets.UTF_8), line, out);
    }
  }

  private void json(SourceLine line, AdapterOutput out) {
    ObjectNode object = SourceJson.object(line.content());
    if (object == null) {
      Rejections.badJson(line, out);
      return;
    }
    if (PerfRecord.isOne(object)) {
      PerfRecord record = PerfRecord.of(object, performanceTimes, out::note);
      if (record == null) {
        Rejections.missing("request_id", "given", line, out);
      } else {
        stages.record(record, line, out);
      }
      return;
    }
    LogRecord record = LogRecord.of(object, times);
    if (record == null) {
      out.skip(OTHER, line);
    } else {
      take(record, "timestamp", line, out);
    }
  }

  private void text(String text, SourceLine line, AdapterOutput out) {
    if (ACCESS.matcher(text).find()) {
      out.skip(OTHER, line);
      return;
    }
    LogRecord record = LogRecord.of(text, times);
    if (record != null) {
      take(record, "(start of the line)", line, out);
      return;
    }
    if (FILTER.matcher(text).find()) {
      check.filterNamed();
    }
    Captured arguments = ConfigCapture.ofLogLine(text);
    Instant at = LogRecord.time(text, times);
    if (arguments != null) {
      out.skip(ARGUMENTS, line);
      configuration(arguments, at, line, out);
    } else if (!scheduler.take(text, at, line, out)) {
      out.skip(OTHER, line);
    }
  }

  /**
   * Each process writes its arguments once: another such line is another process. What the user
   * gave is more exact than what was asked for, as long as the arguments are those of the start.
   */
  private void configuration(
      Captured arguments, @Nullable Instant at, SourceLine line, AdapterOutput out) {
    check.restarted();
    firstArguments = firstArguments == null ? arguments : firstArguments;
    Captured now =
        arguments.equals(firstArguments)
            ? settings
                .captured()
                .map(given -> ConfigCapture.merge(arguments, given))
                .orElse(arguments)
            : arguments;
    captured = Optional.of(now);
    if (at != null && tracker != null) {
      for (ObjectNode event : tracker.observe(now, at.toString(), at)) {
        out.event(event, line);
      }
    }
  }

  private void take(LogRecord record, String timeMember, SourceLine line, AdapterOutput out) {
    if (!record.finished()) {
      Instant at = record.at();
      if (at != null) {
        record.ids().forEach(id -> check.received(id, at));
      }
      out.skip(BEGIN, line);
    } else if (record.ids().isEmpty()) {
      Rejections.missing("rid", "the id of the request, or a list of ids", line, out);
    } else if (DiffusionRequests.isOne(record)
        || (diffusion && !record.meta().has("prompt_tokens"))) {
      diffusion(record, timeMember, line, out);
    } else {
      language(record, timeMember, line, out);
    }
  }

  private void diffusion(LogRecord record, String timeMember, SourceLine line, AdapterOutput out) {
    Instant at = record.at();
    List<String> ids = record.ids();
    DiffusionRequests requests = new DiffusionRequests(current(), out::note);
    for (int i = 0; i < ids.size(); i++) {
      if (at == null) {
        Rejections.badTime(timeMember, times, line, out);
      } else {
        EventDraft draft = requests.draft(record, i);
        check.finished(ids.get(i), at, draft.number("latency_seconds"));
        stages.request(ids.get(i), draft, line, out);
      }
    }
  }

  private void language(LogRecord record, String timeMember, SourceLine line, AdapterOutput out) {
    SglangMetaInfo meta = new SglangMetaInfo(SourceObject.of(record.meta(), out::note), out::note);
    Instant finished = meta.finished() != null ? meta.finished() : record.at();
    if (finished == null) {
      Rejections.badTime(timeMember, times, line, out);
      return;
    }
    EventDraft draft = EventDraft.request(current());
    SglangParameters.fill(draft, SourceObject.of(record.obj(), out::note), settings.promptHash());
    meta.fill(draft);
    String id = record.ids().get(0);
    draft.put("request_id", id).put("arrived_at", meta.arrived()).put("finished_at", finished);
    check.finished(id, finished, draft.number("latency_seconds"));
    out.event(draft.json(), line);
  }

  private AdapterSettings current() {
    return new AdapterSettings(
        settings.deployment(), settings.node(), settings.zone(), settings.promptHash(), captured);
  }

  @Override
  public void pass(Instant now, AdapterOutput out) {
    stages.pass(now, out);
    scheduler.pass(now, out);
  }

  @Override
  public void require() throws UnfitSourceException {
    times.requireZone();
    performanceTimes.requireZone();
    check.require(0);
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    times.requireZone();
    performanceTimes.requireZone();
    check.require(stages.fasterThan(check.fastest()));
    stages.end(out);
    scheduler.flush(out);
  }
}
