package io.servedrift.monitors.cli;

import io.servedrift.ingest.gateway.CanaryFile;
import io.servedrift.ingest.gateway.CanaryPrompts;
import io.servedrift.ingest.gateway.GatewayExtras;
import io.servedrift.ingest.gateway.GatewaySettings;
import io.servedrift.ingest.gateway.ScorerSettings;
import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.monitors.cli.settings.GatewayCatalogue;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.schemas.PromptHash;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the settings make of a gateway, with the files they name read.
 *
 * @param gateway how it passes and measures
 * @param extras what it does beside
 */
record GatewayOptions(GatewaySettings gateway, GatewayExtras extras) {

  /**
   * As the settings say.
   *
   * @throws CommandFailure with every problem found
   */
  static GatewayOptions of(Settings settings) {
    Problems problems = new Problems();
    URI upstream = problems.needed(settings, GatewayCatalogue.UPSTREAM);
    String deployment = problems.needed(settings, GatewayCatalogue.DEPLOYMENT);
    Optional<Path> key = settings.find(GatewayCatalogue.PROMPT_HASH_KEY_FILE);
    PromptHash hash =
        problems.read(GatewayCatalogue.PROMPT_HASH_KEY_FILE, key, PromptHashKey::fromFile);
    CanaryPrompts canaries =
        problems.read(
            GatewayCatalogue.CANARIES, settings.find(GatewayCatalogue.CANARIES), CanaryFile::read);
    double share = settings.get(GatewayCatalogue.SCORER_SHARE);
    ScorerSettings scorer =
        problems.read(
            GatewayCatalogue.SCORER_URL,
            settings.find(GatewayCatalogue.SCORER_URL),
            url -> ScorerSettings.of(url, share));
    if (upstream == null || deployment == null || problems.any()) {
      throw problems.failure();
    }
    String listen = settings.get(GatewayCatalogue.LISTEN);
    int colon = listen.lastIndexOf(':');
    String host = colon < 0 ? "127.0.0.1" : listen.substring(0, colon);
    GatewaySettings made =
        GatewaySettings.of(upstream, deployment)
            .withAddress(host, Integer.parseInt(listen.substring(colon + 1)))
            .withUpstreamTimeout(settings.get(GatewayCatalogue.UPSTREAM_TIMEOUT))
            .withPromptHash(hash);
    return new GatewayOptions(
        settings.find(GatewayCatalogue.NODE).map(made::withNode).orElse(made),
        new GatewayExtras(
            scorer,
            canaries,
            settings.get(GatewayCatalogue.CANARY_EVERY),
            settings.get(GatewayCatalogue.CONFIG_EVERY).orElse(null)));
  }

  /** Makes something of a setting's value. */
  private interface Reader<F, T> {
    T read(F value) throws Exception;
  }

  /** What is wrong, all of it. */
  private static final class Problems {

    private final List<String> texts = new ArrayList<>();

    <T> @Nullable T needed(Settings settings, Setting<T> setting) {
      Optional<T> value = settings.find(setting);
      if (value.isEmpty()) {
        texts.add(
            setting.key()
                + ": needed, as "
                + setting.option()
                + ", "
                + setting.environmentName()
                + " or in the settings file");
      }
      return value.orElse(null);
    }

    <F, T> @Nullable T read(Setting<F> setting, Optional<F> value, Reader<F, T> reader) {
      if (value.isEmpty()) {
        return null;
      }
      try {
        return reader.read(value.get());
      } catch (NoSuchFileException e) {
        texts.add(setting.key() + ": " + e.getFile() + ": no such file");
        return null;
      } catch (Exception e) {
        String.valueOf(e.getMessage())
            .lines()
            .forEach(line -> texts.add(setting.key() + ": " + line));
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
