package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One measured request on its way: its times, copies of its bodies as far as they are kept, and how
 * it ends. The proxy tells it what passes, from one thread at a time per direction; what was told
 * is read after the end. An abandoned request may go on passing for a moment after its end: that is
 * neither kept nor read.
 */
final class Exchange {

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final String DONE = "[DONE]";

  /** A stream takes room in steps, bytes. */
  private static final int STREAM_STEP = 4_096;

  private final Route route;
  private final Instant arrivedAt;
  private final long beganNanos;
  private final int running;
  private final @Nullable Canary canary;
  private final @Nullable String promptClass;
  private final CaptureBudget budget;
  private final BodyCapture ask;
  private final BodyCapture answerBody;
  private @Nullable EventStream stream;
  private final Answer answer = new Answer();
  private final AtomicBoolean ended = new AtomicBoolean();
  private boolean askEncoded;
  private boolean answerReadable = true;
  private long reserved;
  private boolean shed;
  private volatile boolean saidDone;
  private int status;
  private @Nullable String headerId;
  private long firstContentNanos;
  private volatile long endedNanos;
  private volatile Outcome outcome = Outcome.COMPLETE;

  /**
   * @param arrivedAt when the request's headers were there
   * @param beganNanos the same on the monotonic clock
   * @param running measured requests under way, this one included
   * @param canary the canary prompt it asks, null for a client's own
   */
  Exchange(
      Route route,
      Instant arrivedAt,
      long beganNanos,
      int running,
      @Nullable Canary canary,
      @Nullable String promptClass,
      CaptureBudget budget,
      int captureLimit) {
    this.route = route;
    this.arrivedAt = arrivedAt;
    this.beganNanos = beganNanos;
    this.running = running;
    this.canary = canary;
    this.promptClass = promptClass;
    this.budget = budget;
    this.ask = new BodyCapture(budget, captureLimit);
    this.answerBody = new BodyCapture(budget, captureLimit);
  }

  void askEncoded() {
    askEncoded = true;
  }

  void askContent(ByteBuffer chunk) {
    if (askEncoded || ended.get()) {
      return;
    }
    synchronized (ask) {
      if (!ended.get()) {
        ask.add(chunk);
      }
    }
  }

  void answerBegins(int newStatus) {
    status = newStatus;
  }

  void answerHeaders(
      @Nullable String contentType, @Nullable String encoding, @Nullable String requestId) {
    String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
    boolean streamed = type.startsWith("text/event-stream");
    stream = streamed ? new EventStream(1 << 20, this::event) : null;
    boolean plain = encoding == null || encoding.equalsIgnoreCase("identity");
    answerReadable = plain && (streamed || type.startsWith("application/json"));
    headerId = requestId;
  }

  void answerContent(ByteBuffer chunk) {
    if (!answerReadable || ended.get()) {
      return;
    }
    synchronized (answer) {
      if (!ended.get()) {
        readAnswer(chunk);
      }
    }
  }

  private void readAnswer(ByteBuffer chunk) {
    if (stream == null) {
      answerBody.add(chunk);
    } else if (reserve(stream.held() + chunk.remaining() + 2L * answer.held())) {
      stream.add(chunk);
    } else {
      answerReadable = false;
      shed = true;
      stream.giveUp();
      answer.forgetText();
      releaseStream();
    }
  }

  /** Room for what is kept of a stream: the event that comes, and the text so far. */
  private boolean reserve(long needed) {
    if (needed <= reserved) {
      return true;
    }
    long more = needed - reserved + STREAM_STEP;
    if (!budget.take(more, needed)) {
      return false;
    }
    reserved += more;
    return true;
  }

  private void releaseStream() {
    budget.giveBack(reserved);
    reserved = 0;
  }

  private void event(byte[] data) {
    if (data.length > 0 && data[0] == '{') {
      try {
        if (answer.read(JSON.readTree(data)) && firstContentNanos == 0) {
          firstContentNanos = System.nanoTime();
        }
      } catch (IOException notJson) {
        answerReadable = false;
      }
    } else if (new String(data, StandardCharsets.US_ASCII).equals(DONE)) {
      saidDone = true;
    } else {
      answerReadable = false;
    }
  }

  /** The upstream's last byte is here; the client may still be taking it. */
  void answerWhole() {
    endedNanos = System.nanoTime();
  }

  /** Whether a stream said that nothing more follows. */
  boolean saidDone() {
    return saidDone;
  }

  /** Notes the end; false when it was noted before. */
  boolean end(Outcome how) {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    if (endedNanos == 0) {
      endedNanos = System.nanoTime();
    }
    outcome = how;
    return true;
  }

  Route route() {
    return route;
  }

  Instant arrivedAt() {
    return arrivedAt;
  }

  int running() {
    return running;
  }

  @Nullable Canary canary() {
    return canary;
  }

  @Nullable String promptClass() {
    return promptClass;
  }

  Outcome outcome() {
    return outcome;
  }

  /** When the request's headers were there, monotonic. */
  long beganNanos() {
    return beganNanos;
  }

  /** When the upstream's last byte was, monotonic. */
  long endedNanos() {
    return endedNanos;
  }

  /** HTTP status of the upstream; 0 before there was one. */
  int status() {
    return status;
  }

  /** From the request's headers to the last byte of the answer. */
  double latencySeconds() {
    return (endedNanos - beganNanos) / 1e9;
  }

  /** From the request's headers to the first event that brought content; null without a stream. */
  @Nullable Double firstContentSeconds() {
    return firstContentNanos == 0 ? null : (firstContentNanos - beganNanos) / 1e9;
  }

  /** The id in the answer's headers. */
  @Nullable String headerId() {
    return headerId;
  }

  /** What was asked; null when it cannot be read. */
  @Nullable Ask readAsk() {
    synchronized (ask) {
      JsonNode body = ask.givenUp() || askEncoded ? null : parse(ask.bytes());
      return body == null || !body.isObject() ? null : Ask.of(body);
    }
  }

  /** What was answered; null when it cannot be read or was cut off. */
  @Nullable Answer readAnswer() {
    synchronized (answer) {
      if (stream != null) {
        return answerReadable && !stream.givenUp() ? answer : null;
      }
      JsonNode body = !answerReadable || answerBody.givenUp() ? null : parse(answerBody.bytes());
      if (body == null) {
        return null;
      }
      answer.read(body);
      return answer;
    }
  }

  private static @Nullable JsonNode parse(byte[] bytes) {
    try {
      JsonNode node = JSON.readTree(bytes);
      return node == null || node.isMissingNode() ? null : node;
    } catch (JsonProcessingException notJson) {
      return null;
    } catch (IOException notUtf8) {
      return null;
    }
  }

  /** How many of its bodies were not kept because the bodies of all requests had no room. */
  int shedBodies() {
    synchronized (ask) {
      synchronized (answer) {
        return (ask.isShed() ? 1 : 0) + (answerBody.isShed() || shed ? 1 : 0);
      }
    }
  }

  /** Frees the copies of the bodies. */
  void release() {
    synchronized (ask) {
      ask.release();
    }
    synchronized (answer) {
      answerBody.release();
      releaseStream();
    }
  }
}
