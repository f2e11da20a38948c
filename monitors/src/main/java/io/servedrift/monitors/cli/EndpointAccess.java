package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.monitors.ledger.io.EndpointClient;
import io.servedrift.monitors.ledger.io.LedgerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How an endpoint is asked what it runs. */
final class EndpointAccess {
  private static final int LONGEST_TOKEN = 8192;

  @Option(
      names = "--endpoint-token-file",
      paramLabel = "FILE",
      description = "File with the bearer token of the endpoint; it is sent there and not kept.")
  private @Nullable Path tokenFile;

  /** What an endpoint runs. */
  SystemCapture capture(String address, CommandContext context)
      throws IOException, InterruptedException {
    EndpointClient client =
        new EndpointClient(address, context.clock(), token(), RuntimeAnswer::objects);
    try {
      return client.capture();
    } catch (LedgerException e) {
      throw new CommandFailure(ExitCode.INSUFFICIENT, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new CommandFailure(ExitCode.UNREACHABLE, address + ": no answer: " + why, e);
    }
  }

  private @Nullable String token() throws IOException {
    if (tokenFile == null) {
      return null;
    }
    if (Files.size(tokenFile) > LONGEST_TOKEN) {
      throw CommandFailure.usage(tokenFile + ": must hold a token, at most 8192 bytes");
    }
    String token = Files.readString(tokenFile, StandardCharsets.ISO_8859_1).strip();
    if (!token.matches("[\\x21-\\x7e]+")) {
      throw CommandFailure.usage(tokenFile + ": must hold one token of visible characters");
    }
    return token;
  }

  /** An address from the command line in its kept form. */
  static String address(String url) {
    try {
      return EndpointClient.address(url);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--endpoint: must be an http or https address");
    }
  }
}
