package io.servedrift.monitors.cli;

import io.servedrift.ingest.embedded.EmbeddedBrokerException;
import io.servedrift.ingest.files.FileReadException;
import io.servedrift.ingest.files.ImportException;
import io.servedrift.ingest.files.MappingException;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.monitors.archive.ArchiveException;
import io.servedrift.monitors.cli.settings.SettingsException;
import io.servedrift.monitors.ledger.io.LedgerException;
import io.servedrift.monitors.policy.PolicyException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What an exception means to the user: the exit code and one short message.
 *
 * @param exitCode what the process exits with
 * @param message what was wrong and what may help
 */
record Diagnosis(ExitCode exitCode, String message) {

  /** Looks through the causes, outermost first, for one whose meaning is known. */
  static Diagnosis of(Throwable thrown) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
      Diagnosis known = known(cause);
      if (known != null) {
        return known;
      }
    }
    return new Diagnosis(
        ExitCode.INTERNAL_ERROR,
        "internal error: " + described(thrown) + " (--verbose shows where)");
  }

  private static @Nullable Diagnosis known(Throwable cause) {
    if (cause instanceof CommandFailure failure) {
      return new Diagnosis(failure.exitCode(), described(failure));
    }
    if (cause instanceof SettingsException settings) {
      return new Diagnosis(ExitCode.USAGE, String.join("\n", settings.problems()));
    }
    if (cause instanceof PolicyException policy) {
      return new Diagnosis(ExitCode.USAGE, String.join("\n", policy.problems()));
    }
    if (cause instanceof NoSuchFileException missing) {
      return new Diagnosis(ExitCode.USAGE, missing.getFile() + ": no such file");
    }
    if (cause instanceof AccessDeniedException denied) {
      return new Diagnosis(ExitCode.USAGE, denied.getFile() + ": permission denied");
    }
    if (cause instanceof InterruptedException
        || cause instanceof InterruptException
        || cause instanceof ClosedByInterruptException) {
      return new Diagnosis(ExitCode.INTERRUPTED, "interrupted");
    }
    if (cause instanceof TimeoutException
        || cause instanceof java.util.concurrent.TimeoutException
        || cause instanceof DisconnectException
        || cause instanceof BrokerNotAvailableException) {
      return new Diagnosis(
          ExitCode.UNREACHABLE,
          "Kafka did not answer: " + described(cause) + "; check bootstrap-servers and the broker");
    }
    if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
      return new Diagnosis(ExitCode.UNREACHABLE, "Kafka refused access: " + described(cause));
    }
    if (cause instanceof BrokerUnreachableException || cause instanceof EmbeddedBrokerException) {
      return new Diagnosis(ExitCode.UNREACHABLE, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof MappingException || cause instanceof FileReadException) {
      return new Diagnosis(ExitCode.USAGE, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof LedgerException ledger) {
      return new Diagnosis(ExitCode.USAGE, String.valueOf(ledger.getMessage()));
    }
    if (cause instanceof ImportException refused) {
      return new Diagnosis(importCode(refused), String.valueOf(refused.getMessage()));
    }
    if (cause instanceof ArchiveException archive) {
      return new Diagnosis(archiveCode(archive), String.valueOf(archive.getMessage()));
    }
    if (cause instanceof ConnectException) {
      return new Diagnosis(ExitCode.UNREACHABLE, "no connection: " + described(cause));
    }
    return null;
  }

  /** Without a cause the import was refused for what was asked; with one it broke off. */
  private static ExitCode importCode(ImportException refused) {
    Throwable cause = refused.getCause();
    return cause == null ? ExitCode.USAGE : of(cause).exitCode();
  }

  private static ExitCode archiveCode(ArchiveException archive) {
    return switch (archive.kind()) {
      case USAGE -> ExitCode.USAGE;
      case DAMAGED -> ExitCode.CHECK_FAILED;
      case NO_DATA -> ExitCode.INSUFFICIENT;
    };
  }

  private static String described(Throwable thrown) {
    String message = thrown.getMessage();
    if (thrown instanceof CommandFailure && message != null) {
      return message;
    }
    String name = thrown.getClass().getSimpleName();
    return message == null || message.isBlank() ? name : name + ": " + message;
  }
}
