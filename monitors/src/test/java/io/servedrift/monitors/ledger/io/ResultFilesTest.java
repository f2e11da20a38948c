package io.servedrift.monitors.ledger.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
  @TempDir private Path folder;

  private Path write(String name, String content, long seconds) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    return Files.setLastModifiedTime(file, FileTime.fromMillis(seconds * 1000));
  }

  @Test
  void takesTheNewestJsonBelowAFolder() throws IOException {
    write("m/results_1.json", "{}", 1000);
    Path newest = write("m/results_2.json", "{}", 2000);
    write("m/samples.jsonl", "{}", 3000);
    assertThat(ResultFiles.present(folder).newest()).isEqualTo(newest);
    assertThat(ResultFiles.present(newest).newest()).isEqualTo(newest);
  }

  @Test
  void neverTakesWhatWasThereBeforeTheRun() throws IOException {
    write("old.json", "{}", 9000);
    ResultFiles files = ResultFiles.writtenFromNow(folder);
    assertThatThrownBy(files::newest).hasMessageContaining("nothing new was written");
    Path fresh = write("new.json", "{}", 1000);
    assertThat(files.newest()).isEqualTo(fresh);
  }

  @Test
  void takesAFileThatTheRunWroteAnew() throws IOException {
    Path file = write("r.json", "{}", 1000);
    ResultFiles files = ResultFiles.writtenFromNow(file);
    assertThatThrownBy(files::newest).hasMessageContaining("nothing new");
    write("r.json", "{\"a\":1}", 1000);
    assertThat(files.newest()).isEqualTo(file);
  }

  @Test
  void saysWhereAFileIsNoJson_withoutQuotingIt() throws IOException {
    Path bad = write("bad.json", "{\"a\":1,\n secret}", 1000);
    assertThatThrownBy(() -> ResultFiles.read(bad))
        .hasMessageContaining("line 2")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> ResultFiles.read(folder)).isInstanceOf(LedgerException.class);
    assertThatThrownBy(() -> ResultFiles.present(folder.resolve("none")).newest())
        .hasMessageContaining("no JSON file there");
  }
}
