package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.AnswerStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OpenLoopTest {
  private static final long SECOND = 1_000_000_000L;

  /** Time that passes only when somebody sleeps; what is due then happens on the way. */
  private static final class VirtualTime implements Timeline {
    private record Due(long at, Runnable what) {}

    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private long now = 5 * SECOND;

    void at(long nanos, Runnable what) {
      due.add(new Due(nanos, what));
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public long epochMicros(long nanos) {
      return nanos / 1000;
    }

    @Override
    public void sleepUntil(long nanos) {
      while (!due.isEmpty() && due.element().at <= nanos) {
        Due next = due.remove();
        now = Math.max(now, next.at);
        next.what.run();
      }
      now = Math.max(now, nanos);
    }
  }

  /** A server that does one request after the other, .1 s each, and stands still for 10 s. */
  private static final class StallingServer implements Ask {
    private final VirtualTime time;
    private final long stallBegins;
    private final List<Long> asked = new ArrayList<>();
    private long freeAt;

    StallingServer(VirtualTime time) {
      this.time = time;
      this.stallBegins = time.nanos() + 20 * SECOND;
    }

    @Override
    public CompletableFuture<Reply> ask(Item item) {
      asked.add(time.nanos());
      long begin = Math.max(freeAt, time.nanos());
      if (begin >= stallBegins && begin < stallBegins + 10 * SECOND) {
        begin = stallBegins + 10 * SECOND;
      }
      freeAt = begin + SECOND / 10;
      long done = freeAt;
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      Reply good = new Reply(AnswerStatus.OK, null, new byte[0], done, List.of());
      time.at(done, () -> reply.complete(good));
      return reply;
    }
  }

  private static Item item() {
    return new Item(GatePrompt.plain(0, "p"), 1, Dialect.Mode.PRODUCTION, true);
  }

  private static long[] everySecond(int n) {
    long[] arrivals = new long[n];
    for (int i = 0; i < n; i++) {
      arrivals[i] = i * SECOND;
    }
    return arrivals;
  }

  @Test
  void showsAStallInEveryRequestThatArrivesInIt() throws InterruptedException {
    VirtualTime time = new VirtualTime();
    StallingServer server = new StallingServer(time);
    long start = time.nanos();
    List<Sent> sent = new ArrayList<>();

    new OpenLoop(time, server, () -> false)
        .run(everySecond(40), java.util.Collections.nCopies(40, item()), sent::add);

    // Sent on schedule, whatever the server does.
    assertThat(server.asked)
        .containsExactlyElementsOf(
            java.util.stream.LongStream.range(0, 40).mapToObj(i -> start + i * SECOND).toList());
    assertThat(sent).hasSize(40);
    List<Double> latencies =
        sent.stream()
            .sorted(Comparator.comparingLong(Sent::scheduledNanos))
            .map(one -> (one.reply().doneNanos() - one.scheduledNanos()) / 1e9)
            .toList();
    // Arrivals 20 to 29 meet the stall, which ends at 30: they wait for its end and for each other.
    for (int i = 20; i < 30; i++) {
      assertThat(latencies.get(i))
          .isCloseTo(30 - i + .1 * (i - 19), org.assertj.core.data.Offset.offset(1e-9));
    }
    // A closed loop of one would have seen a single slow request.
    assertThat(latencies.stream().filter(one -> one > 1).count()).isGreaterThanOrEqualTo(10);
    assertThat(latencies.get(5)).isCloseTo(.1, org.assertj.core.data.Offset.offset(1e-9));
    // Arrivals 20 to 30: the first is answered at 30.1.
    assertThat(sent.stream().mapToInt(Sent::inFlight).max().orElse(0)).isEqualTo(11);
  }

  @Test
  void countsLatencyFromTheSchedule_whenTheClientItselfIsLate() throws InterruptedException {
    VirtualTime time = new VirtualTime();
    // The second call to ask blocks the client for 5 s, as a machine that stands still does.
    List<Sent> sent = new ArrayList<>();
    Ask slow =
        one -> {
          if (sent.size() == 1) {
            time.sleepUntil(time.nanos() + 5 * SECOND);
          }
          return CompletableFuture.completedFuture(
              new Reply(AnswerStatus.OK, null, new byte[0], time.nanos(), List.of()));
        };
    new OpenLoop(time, slow, () -> false)
        .run(everySecond(4), java.util.Collections.nCopies(4, item()), sent::add);

    assertThat(sent)
        .extracting(one -> (one.reply().doneNanos() - one.scheduledNanos()) / 1e9)
        .containsExactly(0.0, 5.0, 4.0, 3.0);
  }

  @Test
  void givesUpWhatIsOutstanding_whenItIsStopped() throws InterruptedException {
    VirtualTime time = new VirtualTime();
    List<CompletableFuture<Reply>> open = new ArrayList<>();
    Ask never =
        one -> {
          open.add(new CompletableFuture<>());
          return open.get(open.size() - 1);
        };
    List<Sent> sent = new ArrayList<>();
    new OpenLoop(time, never, () -> open.size() >= 3)
        .run(everySecond(10), java.util.Collections.nCopies(10, item()), sent::add);

    assertThat(open).hasSize(3).allMatch(CompletableFuture::isCancelled);
    assertThat(sent).isEmpty();
  }
}
