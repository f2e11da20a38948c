package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigDiff;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "config",
    synopsisSubcommandLabel = "COMMAND",
    description = "Show, fingerprint and compare serving configurations and models.")
final class ConfigCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** A command that says something about one file. */
  abstract static class OfOneFile implements Callable<Integer> {

    @Parameters(
        paramLabel = "FILE",
        description = "A config event, a config or a model object as JSON; - is standard input.")
    private Path file;

    @Option(names = "--json", description = "One JSON document.")
    private boolean json;

    private final CommandContext context;

    OfOneFile(CommandContext context) {
      this.context = context;
    }

    @Override
    public final Integer call() throws IOException {
      ConfigDocument read = ConfigDocument.read(file, context.terminal().in());
      PrintWriter out = context.terminal().out();
      if (json) {
        ObjectNode document = JsonOutput.document();
        read.parts().forEach((name, part) -> add(name, part, document));
        JsonOutput.print(document, out);
      } else {
        read.parts().forEach((name, part) -> print(name, part, out));
      }
      return ExitCode.DONE.code();
    }

    /** Adds what is said of {@code config_id} or {@code model_id}. */
    abstract void add(String name, Fingerprint part, ObjectNode document);

    /** Prints the same as text. */
    abstract void print(String name, Fingerprint part, PrintWriter out);
  }

  @Command(
      name = "show",
      description = "Show what counts for the fingerprint, what does not, and what was dropped.")
  static final class Show extends OfOneFile {

    Show(CommandContext context) {
      super(context);
    }

    @Override
    void add(String name, Fingerprint part, ObjectNode document) {
      document.set(nameOf(name), node(part));
    }

    private static String nameOf(String id) {
      return id.substring(0, id.length() - "_id".length());
    }

    private static ObjectNode node(Fingerprint part) {
      ObjectNode node = JsonOutput.object().put("id", part.id());
      node.set("counted", ConfigDocument.tree(part.counted()));
      node.set("not_counted", ConfigDocument.tree(part.notCounted()));
      ArrayNode dropped = node.putArray("dropped");
      part.dropped().forEach(dropped::add);
      return node;
    }

    @Override
    void print(String name, Fingerprint part, PrintWriter out) {
      out.println(name + " " + part.id());
      ConfigDocument.leaves(part.counted()).forEach((path, value) -> line(path, value, out));
      Map<String, String> beside = ConfigDocument.leaves(part.notCounted());
      if (!beside.isEmpty()) {
        out.println("not counted");
        beside.forEach((path, value) -> line(path, value, out));
      }
      if (!part.dropped().isEmpty()) {
        out.println("dropped, may be secret");
        part.dropped().forEach(path -> out.println("  " + path));
      }
    }

    private static void line(String path, String value, PrintWriter out) {
      out.println("  " + path + " = " + value);
    }
  }

  @Command(name = "fingerprint", description = "Print config_id and model_id of a file.")
  static final class FingerprintOf extends OfOneFile {

    FingerprintOf(CommandContext context) {
      super(context);
    }

    @Override
    void add(String name, Fingerprint part, ObjectNode document) {
      document.put(name, part.id());
    }

    @Override
    void print(String name, Fingerprint part, PrintWriter out) {
      out.println(name + " " + part.id());
    }
  }

  @Command(
      name = "diff",
      description = "Show leaf by leaf how two configurations or models differ.")
  static final class Diff implements Callable<Integer> {

    @Parameters(paramLabel = "LEFT", description = "A file as for show; - is standard input.")
    private Path left;

    @Parameters(paramLabel = "RIGHT", description = "A file as for show.")
    private Path right;

    @Option(names = "--json", description = "One JSON document.")
    private boolean json;

    private final CommandContext context;

    Diff(CommandContext context) {
      this.context = context;
    }

    @Override
    public Integer call() throws IOException {
      if (Terminal.isStdin(left) && Terminal.isStdin(right)) {
        throw CommandFailure.usage("standard input (-) can be read only once");
      }
      ConfigDocument a = ConfigDocument.read(left, context.terminal().in());
      ConfigDocument b = ConfigDocument.read(right, context.terminal().in());
      ObjectNode document = JsonOutput.document();
      boolean configs = compare("config", a.config(), b.config(), document);
      boolean models = compare("model", a.model(), b.model(), document);
      if (!configs && !models) {
        throw CommandFailure.usage(
            left + " and " + right + ": one holds a config, the other a model");
      }
      if (json) {
        JsonOutput.print(document, context.terminal().out());
      }
      return ExitCode.DONE.code();
    }

    private boolean compare(
        String what, @Nullable Fingerprint a, @Nullable Fingerprint b, ObjectNode document) {
      if (a == null || b == null) {
        return false;
      }
      ConfigDiff diff = ConfigDiff.between(a, b);
      if (!json) {
        PrintWriter out = context.terminal().out();
        boolean same = a.id().equals(b.id());
        out.println(what + "_id " + a.id() + (same ? " (same)" : " -> " + b.id()));
        diff.changes().forEach(change -> out.println(change.text()));
        return true;
      }
      ObjectNode node = document.putObject(what).put("left", a.id()).put("right", b.id());
      ArrayNode changes = node.putArray("changes");
      for (ConfigDiff.Change change : diff.changes()) {
        ObjectNode entry = changes.addObject().put("path", change.path());
        put(entry, "left", change.left());
        put(entry, "right", change.right());
        entry.put("counts", change.counts());
      }
      return true;
    }

    private static void put(ObjectNode entry, String side, @Nullable String value) {
      if (value == null) {
        entry.putNull(side);
      } else {
        entry.set(side, ConfigDocument.tree(value));
      }
    }
  }
}
