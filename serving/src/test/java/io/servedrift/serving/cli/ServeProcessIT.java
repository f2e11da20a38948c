package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.awt.image.BufferedImage;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is shipped: the jar, its libraries, the project's own small models. */
@Tag("alone")
class ServeProcessIT {

  private static final Path JAR = Path.of("target", "servedrift-serving.jar");
  private static final int SIGTERM = 143;

  @TempDir private Path dir;

  private Process java(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-jar", JAR.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    builder.environment().put("OMP_NUM_THREADS", "1");
    return builder.redirectError(dir.resolve("err.log").toFile()).start();
  }

  @Test
  void showsItsHelp() throws Exception {
    for (String command : List.of("serve", "scorer")) {
      Process help = java(command, "--help");
      String said = new String(help.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(help.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(help.exitValue()).isZero();
      assertThat(said).startsWith("Usage: servedrift " + command).contains("--token-file=FILE");
    }
  }

  @Test
  void makesAnImage_scoresIt_publishesBoth_andStopsInOrder() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      try (TopicProvisioner provisioner =
          TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        provisioner.apply(EventTopics.TOPICS);
      }
      Process node =
          java(
              "serve",
              "--model=models/scenes",
              "--scorer=models/clip-scenes",
              "--bootstrap-servers=" + broker.bootstrapServers(),
              "--port=0");
      try (BufferedReader out = node.inputReader(StandardCharsets.UTF_8);
          EventTopics topics = new EventTopics(broker.bootstrapServers())) {
        String line = out.readLine();
        assertThat(line).startsWith("listening on http://127.0.0.1:");
        BufferedImage image = generate(line.substring("listening on ".length()));
        assertThat(image.getWidth()).isEqualTo(64);
        assertThat(image.getHeight()).isEqualTo(64);

        RequestEvent event = topics.await(RequestEvent.class, found -> found.size() == 1).get(0);
        assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
        assertThat(event.getStageSeconds().keySet()).contains("text_encode", "denoise", "decode");
        assertThat(event.getBatch().getSegments()).isNotEmpty();
        assertThat(event.getWorkload().getPromptTokens()).isPositive();
        List<ScoreEvent> scores = topics.await(ScoreEvent.class, found -> found.size() == 2);
        assertThat(scores).allMatch(score -> score.getRequestId().equals(event.getRequestId()));
        assertThat(scores).extracting(ScoreEvent::getName).containsOnly("clip", "aesthetic");

        assertThat(node.toHandle().destroy()).isTrue();
        assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(node.exitValue()).isEqualTo(SIGTERM);
        assertThat(topics.await(ServingEvent.class, found -> found.size() == 2))
            .extracting(ServingEvent::getKind)
            .containsExactly(ServingEventKind.NODE_STARTED, ServingEventKind.NODE_STOPPED);
      } finally {
        node.destroyForcibly();
      }
    }
  }

  /** As when the program that started it was killed. */
  @Test
  void stopsInOrder_whenItsStandardInputEnds_andItWasToldTo() throws Exception {
    Process node =
        java(
            "serve",
            "--model=models/scenes",
            "--scorer=models/clip-scenes",
            "--bootstrap-servers=127.0.0.1:1",
            "--port=0",
            "--stop-with-stdin");
    try (BufferedReader out = node.inputReader(StandardCharsets.UTF_8)) {
      assertThat(out.readLine()).startsWith("listening on http://127.0.0.1:");
      assertThat(node.isAlive()).isTrue();

      node.getOutputStream().close();

      assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(node.exitValue()).isZero();
    } finally {
      node.destroyForcibly();
    }
  }

  private static BufferedImage generate(String address) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + "/v1/images/generations"))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"prompt\":\"a red circle\",\"seed\":1,\"size\":\"64x64\"}"))
            .build();
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    JsonNode answer = new ObjectMapper().readTree(response.body());
    byte[] png = Base64.getDecoder().decode(answer.at("/data/0/b64_json").asText());
    return ImageIO.read(new ByteArrayInputStream(png));
  }
}
