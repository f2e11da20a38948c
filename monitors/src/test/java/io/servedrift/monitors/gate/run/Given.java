package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Readiness;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What tests of the runner start from. */
final class Given {
  private Given() {}

  /** This project's node. */
  static Declaration imageNode() {
    return declared(Modality.IMAGE);
  }

  static Declaration chat() {
    return declared(Modality.CHAT);
  }

  private static Declaration declared(Modality modality) {
    return new Declaration(
        null,
        new EndpointProfile(modality, true, true, true, true, true, true, true, 1),
        null,
        null,
        null,
        JsonNodeFactory.instance.objectNode().put("synthetic", true),
        JsonNodeFactory.instance.objectNode().put("use_cache", false),
        "/flush");
  }

  static List<GatePrompt> prompts(int n) {
    List<GatePrompt> prompts = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      prompts.add(GatePrompt.plain(i, "secret prompt " + i));
    }
    return prompts;
  }

  static RunOptions options(CheckName... checks) {
    return new RunOptions(
        7,
        100,
        List.of(3),
        0,
        50.0,
        List.of(0.8, 1.2),
        2,
        Duration.ofMillis(300),
        Duration.ofMillis(50),
        12,
        Duration.ofSeconds(20),
        Set.of(checks));
  }

  static EndpointAccess access(String url) {
    return new EndpointAccess(URI.create(url), null, null, Duration.ofSeconds(20), 1 << 22);
  }

  static RunInput input(String old, String fresh, List<GatePrompt> prompts, RunOptions options) {
    return new RunInput(
        access(old),
        access(fresh),
        Declaration.none(Modality.IMAGE),
        Declaration.none(Modality.IMAGE),
        prompts,
        null,
        null,
        null,
        null,
        facts -> Readiness.notLookedAt(),
        options);
  }
}
