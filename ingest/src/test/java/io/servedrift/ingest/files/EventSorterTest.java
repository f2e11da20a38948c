package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventSorterTest {
  @Property(tries = 100)
  void sortsStably_whateverTheMemory(
      @ForAll @Size(max = 300) List<@IntRange(max = 20) Integer> times,
      @ForAll @IntRange(min = 1, max = 3000) int heapBytes)
      throws IOException {
    Path root = Files.createTempDirectory("sorter");
    List<Long> expected = new ArrayList<>();
    for (long i = 0; i < times.size(); i++) {
      expected.add(i);
    }
    expected.sort(Comparator.comparing(i -> times.get(i.intValue())));

    try (EventSorter sorter = new EventSorter(heapBytes, root)) {
      for (int i = 0; i < times.size(); i++) {
        sorter.add(entry(times.get(i), i));
      }
      List<Long> passedBy = new ArrayList<>();
      try (SortedStore store = sorter.finish(e -> passedBy.add(e.line()))) {
        assertThat(passedBy).isEqualTo(expected);
        assertThat(lines(store)).isEqualTo(expected);
        assertThat(lines(store)).as("second pass").isEqualTo(expected);
      }
    }
    assertThat(root).as("temporary files").isEmptyDirectory();
    Files.delete(root);
  }

  @Test
  void mergesInSteps_whenThereAreManyRuns(@TempDir Path root) throws IOException {
    int n = EventSorter.MAX_RUNS * 3 + 5;
    try (EventSorter sorter = new EventSorter(1, root)) {
      for (int i = 0; i < n; i++) {
        sorter.add(entry(n - i, i));
      }
      try (SortedStore store = sorter.finish(e -> {})) {
        assertThat(lines(store)).hasSize(n).isSortedAccordingTo(Comparator.reverseOrder());
      }
      assertThat(sorter.spilled()).isTrue();
    }
  }

  private static List<Long> lines(SortedStore store) {
    List<Long> lines = new ArrayList<>();
    store.iterator().forEachRemaining(e -> lines.add(e.line()));
    return lines;
  }

  private static SortEntry entry(long time, long line) {
    return new SortEntry(time, line, 1, line, 0, line, new byte[] {1, 2, 3});
  }
}
