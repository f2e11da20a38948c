package io.servedrift.ingest.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ConfigPollTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final GatewayExtras EVERY_SECOND =
      new GatewayExtras(null, null, Duration.ofMinutes(1), Duration.ofSeconds(1));

  private static String info(int running) {
    return "{\"model_path\":\"qwen\",\"dtype\":\"bfloat16\",\"version\":\"0.5.6\",\"api_key\":\"secret\","
        + "\"internal_states\":[{\"max_running_requests\":"
        + running
        + "}]}";
  }

  @Test
  void namesTheConfigurationAndTellsItsChange() throws Exception {
    AtomicReference<String> info = new AtomicReference<>(info(8));
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  if (call.head().startsWith("GET /get_server_info ")) {
                    call.json(200, info.get());
                  } else if (call.head().startsWith("GET ")) {
                    call.json(404, "{}");
                  } else {
                    call.body();
                    call.json(200, "{\"choices\":[]}");
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri(), s -> s, EVERY_SECOND)) {
      await().atMost(SOON).until(() -> running.gateway.counts().get(Count.CONFIG_READ) > 0);
      running.post("/v1/chat/completions", "{}");
      RequestEvent first = running.onlyRequest();
      assertThat(first.getConfigId()).matches("[0-9a-f]{16}");
      assertThat(first.getModelId()).matches("[0-9a-f]{16}");
      assertThat(running.events)
          .anySatisfy(
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          ConfigRecord.class,
                          record ->
                              assertThat(record.getConfigId()).isEqualTo(first.getConfigId())));
      info.set(info(16));
      await()
          .atMost(SOON)
          .until(
              () ->
                  running.events.stream()
                      .anyMatch(
                          event ->
                              event instanceof ServingEvent changed
                                  && changed.getKind() == ServingEventKind.CONFIG_CHANGED));
      running.post("/v1/chat/completions", "{}");
      await().atMost(SOON).until(() -> running.requests().size() == 2);
      assertThat(running.requests().get(1).getConfigId()).isNotEqualTo(first.getConfigId());
      assertThat(running.events.toString()).doesNotContain("secret");
    }
  }

  @Test
  void tellsAChangeThatFellIntoAnOutage_whenTheBrokerIsBack() throws Exception {
    AtomicReference<String> info = new AtomicReference<>(info(8));
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  boolean asked = call.head().startsWith("GET /get_server_info ");
                  call.json(asked ? 200 : 404, asked ? info.get() : "{}");
                });
        RunningGateway running = new RunningGateway(upstream.uri(), s -> s, EVERY_SECOND)) {
      await().atMost(SOON).until(() -> running.gateway.counts().get(Count.CONFIG_READ) > 0);
      running.away = true;
      info.set(info(16));
      long before = running.gateway.counts().get(Count.CONFIG_READ);
      await()
          .atMost(SOON)
          .until(() -> running.gateway.counts().get(Count.CONFIG_READ) > before + 2);
      assertThat(changes(running)).isZero();
      // The upstream going away must not keep what is still to be told.
      info.set("[]");
      running.away = false;
      await().atMost(SOON).until(() -> changes(running) == 1);
      assertThat(running.events.stream().filter(ConfigRecord.class::isInstance)).hasSize(2);
    }
  }

  private static long changes(RunningGateway running) {
    return running.events.stream()
        .filter(
            event ->
                event instanceof ServingEvent changed
                    && changed.getKind() == ServingEventKind.CONFIG_CHANGED)
        .count();
  }

  @Test
  void knowsNothing_whenTheUpstreamSaysNothing() throws Exception {
    try (RawUpstream upstream =
            new RawUpstream(
                call -> {
                  if (call.head().startsWith("GET ")) {
                    call.json(404, "{}");
                  } else {
                    call.body();
                    call.json(200, "{\"choices\":[]}");
                  }
                });
        RunningGateway running = new RunningGateway(upstream.uri(), s -> s, EVERY_SECOND)) {
      await().atMost(SOON).until(() -> running.gateway.counts().get(Count.CONFIG_UNREAD) > 0);
      running.post("/v1/chat/completions", "{}");
      assertThat(running.onlyRequest().getConfigId()).isEqualTo("unknown");
      assertThat(running.gateway.counts().get(Count.CONFIG_READ)).isZero();
    }
  }
}
