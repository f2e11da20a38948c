package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.policy.Policy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Opens the file that the setting {@code policy} names. */
final class PolicyFile {

  private static final int MAX_BYTES = 1 << 20;

  private PolicyFile() {}

  /**
   * The policy in force: that of the file, else the built-in one.
   *
   * @throws CommandFailure when the file cannot be read
   * @throws io.servedrift.monitors.policy.PolicyException with everything that is wrong in it
   */
  static Policy of(Settings settings) {
    Path file = settings.find(SettingsCatalogue.POLICY).orElse(null);
    return file == null ? Policy.defaults() : Policy.parse(text(file), file.toString());
  }

  /** The text of a policy, of the monitor or the gate. */
  static String text(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw CommandFailure.usage(file + ": must be at most 1 MiB (policy)");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": must be UTF-8 (policy)", e);
    } catch (NoSuchFileException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": no such file (policy)", e);
    } catch (AccessDeniedException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": permission denied (policy)", e);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.USAGE, file + ": cannot be read (policy): " + e.getMessage(), e);
    }
  }
}
