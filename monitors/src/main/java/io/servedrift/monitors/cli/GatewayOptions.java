package io.servedrift.monitors.cli;

import io.servedrift.ingest.adapters.PromptHash;
import io.servedrift.ingest.gateway.CanaryFile;
import io.servedrift.ingest.gateway.CanaryPrompts;
import io.servedrift.ingest.gateway.GatewayExtras;
import io.servedrift.ingest.gateway.GatewaySettings;
import io.servedrift.ingest.gateway.ScorerSettings;
import io.servedrift.monitors.text.Quantities;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code gateway}, read and checked together. */
final class GatewayOptions {

  private static final Pattern ADDRESS =
      Pattern.compile("(?:(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):)?(\\d{1,5})");
  private static final String KEY_VARIABLE = "SERVEDRIFT_PROMPT_HASH_KEY_FILE";

  @Option(
      names = "--upstream",
      paramLabel = "URL",
      required = true,
      description =
          "The runtime, http:// or https://, with the path that is put before every path.")
  private String upstream = "";

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      required = true,
      description = "The deployment that the events name.")
  private String deployment = "";

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "The node that the events name. Default: host and port of the upstream.")
  private @Nullable String node;

  @Option(
      names = "--listen",
      paramLabel = "[HOST:]PORT",
      defaultValue = "127.0.0.1:8090",
      description =
          "Where clients reach the gateway; port 0 takes a free one. Default: ${DEFAULT-VALUE}.")
  private String listen = "";

  @Option(
      names = "--upstream-timeout",
      paramLabel = "DURATION",
      defaultValue = "10m",
      description = "Longest silence of the upstream. Default: ${DEFAULT-VALUE}.")
  private String upstreamTimeout = "";

  @Option(
      names = "--prompt-hash-key-file",
      paramLabel = "FILE",
      description =
          "Key of the prompts' hashes, at least 32 bytes; without it no hash is published."
              + " Environment: "
              + KEY_VARIABLE
              + ".")
  private @Nullable Path promptHashKey;

  @Option(
      names = "--scorer",
      paramLabel = "URL",
      description = "Scorer to which a sample of the images goes; /v1/scores is added.")
  private @Nullable String scorer;

  @Option(
      names = "--scorer-share",
      paramLabel = "SHARE",
      defaultValue = "0.1",
      description =
          "Share of the requests whose image is scored, above 0 to 1. Default: ${DEFAULT-VALUE}.")
  private double scorerShare;

  @Option(
      names = "--canaries",
      paramLabel = "FILE",
      description = "Canary prompts, YAML or NDJSON, to ask again and again.")
  private @Nullable Path canaries;

  @Option(
      names = "--canary-every",
      paramLabel = "DURATION",
      defaultValue = "60s",
      description = "Pause between two canary prompts, 1s to 24h. Default: ${DEFAULT-VALUE}.")
  private String canaryEvery = "";

  @Option(
      names = "--config-every",
      paramLabel = "DURATION|off",
      defaultValue = "30s",
      description =
          "Pause between two looks at the upstream's configuration, 1s to 24h; off where the"
              + " upstream is several nodes. Default: ${DEFAULT-VALUE}.")
  private String configEvery = "";

  /**
   * What it does beside.
   *
   * @throws CommandFailure with every problem found
   */
  GatewayExtras extras() {
    Problems problems = new Problems();
    String url = scorer;
    ScorerSettings scoring =
        url == null
            ? null
            : problems.read("--scorer", () -> ScorerSettings.of(new URI(url.strip()), scorerShare));
    Path file = canaries;
    CanaryPrompts prompts =
        file == null ? null : problems.read("--canaries", () -> CanaryFile.read(file));
    Duration pause = problems.read("--canary-every", () -> Quantities.duration(canaryEvery));
    boolean off = configEvery.strip().equals("off");
    Duration look =
        off ? null : problems.read("--config-every", () -> Quantities.duration(configEvery));
    if (pause == null || problems.any()) {
      throw problems.failure();
    }
    GatewayExtras extras =
        problems.read("gateway", () -> new GatewayExtras(scoring, prompts, pause, look));
    if (extras == null) {
      throw problems.failure();
    }
    return extras;
  }

  /**
   * The settings they make.
   *
   * @throws CommandFailure with every problem found
   */
  GatewaySettings settings(Map<String, String> environment) {
    Problems problems = new Problems();
    URI base = problems.read("--upstream", () -> new URI(upstream.strip()));
    Duration timeout =
        problems.read("--upstream-timeout", () -> Quantities.duration(upstreamTimeout));
    Address address = problems.read("--listen", () -> Address.of(listen));
    Path key = key(environment);
    PromptHash hash =
        key == null
            ? null
            : problems.read("--prompt-hash-key-file", () -> PromptHash.of(Files.readAllBytes(key)));
    if (base == null || timeout == null || address == null) {
      throw problems.failure();
    }
    GatewaySettings made =
        problems.read(
            "gateway",
            () ->
                GatewaySettings.of(base, deployment)
                    .withAddress(address.host(), address.port())
                    .withUpstreamTimeout(timeout)
                    .withPromptHash(hash));
    String name = node;
    GatewaySettings named =
        made == null || name == null ? made : problems.read("--node", () -> made.withNode(name));
    if (named == null || problems.any()) {
      throw problems.failure();
    }
    return named;
  }

  private @Nullable Path key(Map<String, String> environment) {
    String named = environment.get(KEY_VARIABLE);
    return promptHashKey != null || named == null || named.isBlank()
        ? promptHashKey
        : Path.of(named);
  }

  /** Where to listen. */
  private record Address(String host, int port) {

    static Address of(String text) {
      Matcher parts = ADDRESS.matcher(text.strip());
      if (!parts.matches() || Integer.parseInt(parts.group(2)) > 65_535) {
        throw new IllegalArgumentException("must be [HOST:]PORT, for example 127.0.0.1:8090");
      }
      String host = parts.group(1) == null ? "127.0.0.1" : parts.group(1);
      return new Address(host, Integer.parseInt(parts.group(2)));
    }
  }

  /** What is wrong, all of it. */
  private static final class Problems {

    private final List<String> texts = new ArrayList<>();

    <T> @Nullable T read(String option, Callable<T> reader) {
      try {
        return reader.call();
      } catch (NoSuchFileException e) {
        texts.add(option + ": " + e.getFile() + ": no such file");
        return null;
      } catch (Exception e) {
        String.valueOf(e.getMessage()).lines().forEach(line -> texts.add(option + ": " + line));
        return null;
      }
    }

    boolean any() {
      return !texts.isEmpty();
    }

    CommandFailure failure() {
      return CommandFailure.usage(String.join("\n", texts));
    }
  }
}
