package io.servedrift.monitors.cli;

import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.run.Declaration;
import io.servedrift.monitors.gate.run.EndpointAccess;
import io.servedrift.monitors.gate.run.GateInputException;
import io.servedrift.monitors.gate.run.ProfileFile;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whom a gate asks, and how they are reached. */
final class GateTargets {
  private static final int MAX_ANSWER_BYTES = 64 << 20;
  private static final int MAX_TOKEN_BYTES = 8192;

  @Option(names = "--old", paramLabel = "URL", description = "What serves today.")
  private @Nullable String old;

  @Option(names = "--new", paramLabel = "URL", description = "What shall serve.")
  private @Nullable String fresh;

  @Option(
      names = "--modality",
      paramLabel = "image|chat",
      defaultValue = "image",
      description = "What they make, when no profile says it; default: ${DEFAULT-VALUE}.")
  private Modality modality = Modality.IMAGE;

  @Option(
      names = "--old-profile",
      paramLabel = "FILE",
      description = "YAML that declares what the old endpoint is and can do.")
  private @Nullable Path oldProfile;

  @Option(names = "--new-profile", paramLabel = "FILE", description = "The same of the new one.")
  private @Nullable Path newProfile;

  @Option(
      names = "--scorer",
      paramLabel = "URL",
      description = "Scorer of images; without one there are no scores.")
  private @Nullable String scorer;

  @Option(
      names = "--switched",
      paramLabel = "URL",
      description = "Address behind which --flip-command switches.")
  private @Nullable String switched;

  @Option(
      names = "--flip-command",
      paramLabel = "CMD",
      description =
          "Shell command that switches --switched to what SERVEDRIFT_FLIP_TO says, new or old;"
              + " without it the way back is a change of address.")
  private @Nullable String flipCommand;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "Bearer token for --old, --new and --switched. Environment: SERVEDRIFT_GATE_TOKEN_FILE.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--scorer-token-file",
      paramLabel = "FILE",
      description = "Bearer token for the scorer. Environment: SERVEDRIFT_GATE_SCORER_TOKEN_FILE.")
  private @Nullable Path scorerTokenFile;

  @Option(
      names = "--monitor",
      paramLabel = "URL",
      description = "The monitor, asked whether scores and a baseline of the new side are there.")
  private @Nullable String monitor;

  @Option(
      names = "--monitor-token-file",
      paramLabel = "FILE",
      description =
          "Bearer token for the monitor. Environment: SERVEDRIFT_GATE_MONITOR_TOKEN_FILE.")
  private @Nullable Path monitorTokenFile;

  @Option(
      names = "--alertmanager",
      paramLabel = "URL",
      description = "Sent a test alert that ends within a minute.")
  private @Nullable String alertmanager;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description = "PEM certificates to trust; default: those of the Java platform.")
  private @Nullable Path caFile;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "Longest time of a request; default: ${DEFAULT-VALUE}.")
  private int timeout;

  /** All of them, checked. */
  record Resolved(
      EndpointAccess old,
      EndpointAccess fresh,
      Declaration oldDeclared,
      Declaration newDeclared,
      @Nullable EndpointAccess scorer,
      @Nullable EndpointAccess switched,
      @Nullable String flipCommand,
      @Nullable EndpointAccess monitor,
      @Nullable EndpointAccess alertmanager) {}

  /**
   * As they were given; null when something is wrong.
   *
   * @param problems takes what is wrong
   */
  @Nullable Resolved resolve(CommandContext context, List<String> problems) throws IOException {
    int before = problems.size();
    if (timeout < 1 || timeout > 3600) {
      problems.add("--timeout=" + timeout + ": must be 1 to 3600");
    }
    if ((flipCommand == null) != (switched == null)) {
      problems.add("--flip-command and --switched: both or none of them");
    }
    SSLContext tls = tls(problems);
    String token = token(tokenFile, "SERVEDRIFT_GATE_TOKEN_FILE", context, problems);
    String scorerToken =
        token(scorerTokenFile, "SERVEDRIFT_GATE_SCORER_TOKEN_FILE", context, problems);
    String monitorToken =
        token(monitorTokenFile, "SERVEDRIFT_GATE_MONITOR_TOKEN_FILE", context, problems);
    EndpointAccess oldAccess = access("--old", old, token, tls, problems);
    EndpointAccess newAccess = access("--new", fresh, token, tls, problems);
    Declaration oldDeclared = declared(oldProfile, problems);
    Declaration newDeclared = declared(newProfile, problems);
    EndpointAccess scoring = optional("--scorer", scorer, scorerToken, tls, problems);
    EndpointAccess behind = optional("--switched", switched, token, tls, problems);
    EndpointAccess watching = optional("--monitor", monitor, monitorToken, tls, problems);
    EndpointAccess alerts = optional("--alertmanager", alertmanager, null, tls, problems);
    if (problems.size() > before || oldAccess == null || newAccess == null) {
      return null;
    }
    return new Resolved(
        oldAccess,
        newAccess,
        oldDeclared,
        newDeclared,
        scoring,
        behind,
        flipCommand,
        watching,
        alerts);
  }

  private @Nullable EndpointAccess optional(
      String option,
      @Nullable String url,
      @Nullable String token,
      @Nullable SSLContext tls,
      List<String> problems) {
    return url == null ? null : access(option, url, token, tls, problems);
  }

  private @Nullable EndpointAccess access(
      String option,
      @Nullable String url,
      @Nullable String token,
      @Nullable SSLContext tls,
      List<String> problems) {
    if (url == null) {
      problems.add(option + " URL: must be given");
      return null;
    }
    try {
      URI address = EndpointAccess.address(option, url);
      return new EndpointAccess(
          address,
          token,
          tls,
          Duration.ofSeconds(Math.max(1, timeout)),
          MAX_ANSWER_BYTES,
          RuntimeAnswer::objects);
    } catch (GateInputException e) {
      problems.add(String.valueOf(e.getMessage()));
      return null;
    }
  }

  private Declaration declared(@Nullable Path file, List<String> problems) throws IOException {
    if (file == null) {
      return Declaration.none(modality);
    }
    try {
      return ProfileFile.read(file);
    } catch (NoSuchFileException e) {
      problems.add(file + ": no such file (profile)");
    } catch (GateInputException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return Declaration.none(modality);
  }

  private @Nullable SSLContext tls(List<String> problems) {
    if (caFile == null) {
      return null;
    }
    try {
      return ClientTls.of(caFile, null, null);
    } catch (IllegalArgumentException e) {
      problems.add("--ca-file " + caFile + ": must hold PEM certificates");
      return null;
    }
  }

  private static @Nullable String token(
      @Nullable Path option, String variable, CommandContext context, List<String> problems) {
    String named = context.environment().get(variable);
    Path file = option != null || named == null || named.isBlank() ? option : Path.of(named);
    if (file == null) {
      return null;
    }
    try {
      if (Files.size(file) <= MAX_TOKEN_BYTES) {
        String token = Files.readString(file, StandardCharsets.US_ASCII).strip();
        if (token.matches("[\\x21-\\x7e]+")) {
          return token;
        }
      }
      problems.add(file + ": must hold one token of printable ASCII, at most 8 KiB");
    } catch (IOException e) {
      problems.add(file + ": must be a readable file with the token");
    }
    return null;
  }
}
