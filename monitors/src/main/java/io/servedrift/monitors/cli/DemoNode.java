package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.ImageApi;
import io.servedrift.monitors.demo.NodeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The serving node of an act: its process, and what it says of itself. */
final class DemoNode implements AutoCloseable {
  /** Beside that of this process. */
  static final Map<String, String> ENVIRONMENT = Map.of("OMP_NUM_THREADS", "1");

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final NodeProcess process;
  private final String address;
  private final ImageApi api;
  private final JsonNode info;

  private DemoNode(NodeProcess process, String address, ImageApi api, JsonNode info) {
    this.process = process;
    this.address = address;
    this.api = api;
    this.info = info;
  }

  /** One request at a time, and no cache. */
  static List<String> single() {
    return List.of("--mode", "single", "--max-batch-size", "1", "--cache-size", "0B");
  }

  /** Requests share batches, and prompts that were seen are not encoded again. */
  static List<String> batching(DemoFault fault) {
    List<String> options =
        new ArrayList<>(
            List.of("--mode", "continuous", "--max-batch-size", "16", "--cache-size", "64MiB"));
    if (fault != DemoFault.NONE) {
      options.addAll(List.of("--faults", fault.word()));
    }
    return options;
  }

  /**
   * Starts a node and waits until it answers.
   *
   * @param common options beside those of the act
   * @param log takes what it prints
   * @return null when a signal came first; then nothing is left of it
   * @throws CommandFailure when it does not start, with what it printed
   */
  static @Nullable DemoNode start(
      ServingFiles files, List<String> common, List<String> ofAct, Path log, StopSignal signal)
      throws IOException, InterruptedException {
    List<String> command = java(files, "serve");
    command.add("--stop-with-stdin"); // also when this process is killed
    command.addAll(
        List.of("--model", files.pipeline().toString(), "--scorer", files.scorer().toString()));
    command.addAll(common);
    command.addAll(ofAct);
    NodeProcess process = NodeProcess.start(command, ENVIRONMENT, log);
    boolean started = false;
    try {
      String address = address(process, signal, "serving node");
      if (address == null) {
        return null;
      }
      ImageApi api = new ImageApi(address);
      DemoNode node = new DemoNode(process, address, api, api.serverInfo());
      started = true;
      return node;
    } finally {
      if (!started) {
        process.close();
      }
    }
  }

  /** A command of the serving module on a free port. */
  static List<String> java(ServingFiles files, String subcommand) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx512m"));
    // One core is the node's, the other one that of broker, monitor and clients.
    command.addAll(List.of("-Dai.djl.pytorch.num_threads=1", "-Dai.djl.offline=true"));
    command.addAll(List.of("-jar", files.jar().toString(), subcommand, "--port", "0"));
    return command;
  }

  /**
   * Where a process listens, as soon as it says so; null when a signal came first.
   *
   * @param what it is, for the message
   */
  static @Nullable String address(NodeProcess process, StopSignal signal, String what)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Optional<String> address = process.address();
    while (address.isEmpty()) {
      // First: Ctrl-C ends the node as well.
      if (signal.isStopped()) {
        return null;
      }
      if (!process.alive() || System.nanoTime() > end) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE,
            "the " + what + " did not start; it said:\n" + process.lastLines(),
            null);
      }
      Thread.sleep(NodeProcess.look().toMillis());
      address = process.address();
    }
    return address.get();
  }

  /** Where it listens. */
  String address() {
    return address;
  }

  /** How clients reach it. */
  ImageApi api() {
    return api;
  }

  /**
   * Fails when the node has ended.
   *
   * @throws CommandFailure with what it printed last
   */
  void requireAlive() throws IOException {
    if (!process.alive()) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE, "the serving node ended; it said:\n" + process.lastLines(), null);
    }
  }

  String configId() {
    return info.path("config_id").asText();
  }

  String modelId() {
    return info.path("model_id").asText();
  }

  /** Digest of the weights. */
  String weights() {
    return info.at("/model/weights_digest").asText();
  }

  @Override
  public void close() {
    process.close();
  }
}
