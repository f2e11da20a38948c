package io.servedrift.ingest.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedFileTest {
  @TempDir private Path folder;
  private Path log;
  private FollowedFile file;
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void open() {
    log = folder.resolve("server.log");
    file = new FollowedFile(log, 100);
  }

  @AfterEach
  void close() throws IOException {
    file.close();
  }

  private void write(String text) throws IOException {
    Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private List<String> poll(FollowedFile from) throws IOException {
    lines.clear();
    int given;
    do {
      given =
          from.poll(
              2,
              (line, number) ->
                  lines.add(line == null ? "(long)" : new String(line, StandardCharsets.UTF_8)));
    } while (given > 0);
    // A file that was renamed away is left at the second look.
    from.poll(2, (line, number) -> lines.add(new String(line, StandardCharsets.UTF_8)));
    do {
      given = from.poll(2, (line, number) -> lines.add(new String(line, StandardCharsets.UTF_8)));
    } while (given > 0);
    return List.copyOf(lines);
  }

  @Test
  void givesLinesOnceTheyAreComplete() throws IOException {
    assertThat(poll(file)).isEmpty();
    write("one\r\ntwo\nthr");
    assertThat(poll(file)).containsExactly("one", "two");
    write("ee\n\nfour\n");
    assertThat(poll(file)).containsExactly("three", "", "four");
    assertThat(poll(file)).isEmpty();
  }

  @Test
  void readsARenamedFileToItsEnd_thenTheNewOne() throws IOException {
    write("one\n");
    assertThat(poll(file)).containsExactly("one");
    write("two\nlast without end");
    Files.move(log, folder.resolve("server.log.1"));
    write("three\n");

    assertThat(poll(file)).containsExactly("two", "last without end", "three");
  }

  private void rotate(int secondOfChange) throws IOException {
    Files.setLastModifiedTime(log, FileTime.from(Instant.ofEpochSecond(secondOfChange)));
    for (int i = 3; i > 0; i--) {
      Path from = i == 1 ? log : folder.resolve("server.log." + (i - 1));
      if (Files.exists(from)) {
        Files.move(from, folder.resolve("server.log." + i));
      }
    }
  }

  @Test
  void readsEachFileOfSeveralRotations_inTheirOrder() throws IOException {
    write("one\n");
    assertThat(poll(file)).containsExactly("one");
    FilePlace place = file.place();
    write("two\n");
    rotate(1_000);
    write("three\n");
    rotate(2_000);
    write("four\n");
    rotate(3_000);
    write("five\n");
    Files.writeString(folder.resolve("server.log.1.gz"), "packed\n");
    Files.writeString(folder.resolve("server.log.json"), "other\n");

    List<String> given = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      given.addAll(poll(file));
    }
    assertThat(given).containsExactly("two", "three", "four", "five");
    given.clear();
    try (FollowedFile again = new FollowedFile(log, 100)) {
      assertThat(again.resume(place)).isTrue();
      for (int i = 0; i < 6; i++) {
        given.addAll(poll(again));
      }
    }
    assertThat(given).containsExactly("two", "three", "four", "five");
  }

  @Test
  void startsAnew_whenTheFileWasCut() throws IOException {
    write("one\ntwo\nthree\n");
    assertThat(poll(file)).hasSize(3);
    Files.writeString(log, "new\n", StandardOpenOption.TRUNCATE_EXISTING);

    assertThat(poll(file)).containsExactly("new");
  }

  @Test
  void startsAnew_whenTheFileWasCutAndIsLongerAgain() throws IOException {
    write("one\ntwo\n");
    assertThat(poll(file)).hasSize(2);
    assertThat(poll(file)).isEmpty();
    Files.writeString(log, "1st\n2nd\n3rd\n4th\n", StandardOpenOption.TRUNCATE_EXISTING);

    assertThat(poll(file)).containsExactly("1st", "2nd", "3rd", "4th");
  }

  @Test
  void passesOverALineThatIsTooLong() throws IOException {
    write("x".repeat(80_000));
    assertThat(poll(file)).isEmpty();
    write("y".repeat(80_000) + "\nnext\n");

    assertThat(poll(file)).containsExactly("(long)", "next");
  }

  @Test
  void goesOnAtThePlace() throws IOException {
    write("one\ntwo\nhal");
    poll(file);
    FilePlace place = file.place();
    write("f\nthree\n");

    try (FollowedFile again = new FollowedFile(log, 100)) {
      assertThat(again.resume(place)).isTrue();
      assertThat(poll(again)).containsExactly("half", "three");
    }
  }

  @Test
  void goesOnInTheFileThatWasRenamedMeanwhile() throws IOException {
    write("one\n");
    poll(file);
    FilePlace place = file.place();
    write("two\n");
    Files.move(log, folder.resolve("server.log.1"), StandardCopyOption.ATOMIC_MOVE);
    write("three\n");

    try (FollowedFile again = new FollowedFile(log, 100)) {
      assertThat(again.resume(place)).isTrue();
      assertThat(poll(again)).containsExactly("two", "three");
    }
  }

  @Test
  void saysThatThePlaceIsGone_andReadsFromTheStart() throws IOException {
    write("one\n");
    poll(file);
    FilePlace place = file.place();
    file.close();
    Files.writeString(log, "six\nten\n", StandardOpenOption.TRUNCATE_EXISTING);

    try (FollowedFile again = new FollowedFile(log, 100)) {
      assertThat(again.resume(place)).isFalse();
      assertThat(poll(again)).containsExactly("six", "ten");
    }
  }

  @Test
  void passesOverWhatIsThere_butNotOverAHalfLine() throws IOException {
    write("one\ntwo\nhal");
    file.skipToEnd();
    write("f\n");

    assertThat(poll(file)).containsExactly("half");
  }
}
