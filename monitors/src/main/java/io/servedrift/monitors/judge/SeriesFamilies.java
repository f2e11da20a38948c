package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.detection.AlarmLevels;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The families of tests of one series, by name. Not thread-safe. */
final class SeriesFamilies {
  private static final Set<Basis> OF_ITSELF = EnumSet.of(Basis.LEARNED, Basis.PINNED);

  private final SortedMap<String, FamilyJudge> byName = new TreeMap<>();
  private final Runnable changed;

  /**
   * None yet.
   *
   * @param changed is told when one comes or goes: the budget is shared by all
   */
  SeriesFamilies(Runnable changed) {
    this.changed = changed;
  }

  /** All of them, by name. */
  Collection<FamilyJudge> all() {
    return Collections.unmodifiableCollection(byName.values());
  }

  /** Those that are there now, whatever comes or goes on the way. */
  List<FamilyJudge> snapshot() {
    return List.copyOf(byName.values());
  }

  private Stream<FamilyJudge> on(Basis basis) {
    return byName.values().stream().filter(family -> family.reference().basis() == basis);
  }

  private Stream<OpenFinding> open() {
    return byName.values().stream().map(FamilyJudge::open).filter(Objects::nonNull);
  }

  boolean anyOpen() {
    return open().findAny().isPresent();
  }

  /** Open findings that go another way. */
  List<OpenFinding> opposites(OpenFinding finding) {
    return open().filter(other -> !other.direction().equals(finding.direction())).toList();
  }

  /** Whether an open finding names a cause for a move this way. */
  boolean explained(String direction) {
    return byName.values().stream()
        .filter(family -> family.reference().basis() != Basis.MARGINAL)
        .map(FamilyJudge::open)
        .anyMatch(one -> one != null && one.direction().equals(direction) && one.decided());
  }

  /** What the series is compared with on a basis, by a statistic. */
  Optional<Reference> reference(Basis basis, Statistic statistic) {
    return on(basis)
        .map(FamilyJudge::reference)
        .filter(reference -> reference.baseline().spec().statistic() == statistic)
        .findFirst();
  }

  /** The family of the mean against what the series itself was. */
  Optional<FamilyJudge> mean() {
    return byName.values().stream()
        .filter(family -> OF_ITSELF.contains(family.reference().basis()))
        .filter(family -> family.reference().baseline().spec().statistic() == Statistic.MEAN)
        .findFirst();
  }

  private Stream<FamilyJudge> learned(String scorer) {
    return on(Basis.LEARNED).filter(family -> family.reference().scorer().equals(scorer));
  }

  /** Whether a finding stands against what was learned; another scorer is no such one. */
  boolean shifted(String scorer) {
    return learned(scorer).anyMatch(family -> family.open() != null);
  }

  /** Whether evidence stands against what was learned. */
  boolean suspicious(String scorer, Function<String, AlarmLevels> levels) {
    return learned(scorer)
        .anyMatch(family -> family.evidenceMinutes() >= levels.apply(family.name()).watch());
  }

  /** The family with an open finding. */
  Optional<FamilyJudge> withFinding(String findingId) {
    return byName.values().stream()
        .filter(
            family -> {
              OpenFinding open = family.open();
              return open != null && open.id().equals(findingId);
            })
        .reduce((earlier, later) -> later);
  }

  /** Puts a family in the place of the one it follows; an open finding of that one ends. */
  void install(FamilyJudge family, long atMicros) {
    FamilyJudge before = byName.put(family.name(), family);
    if (before != null && before.open() != null) {
      before.close(atMicros, "the baseline was learned anew");
    }
    changed.run();
  }

  /** Ends the families of some bases; what is open in them closes. */
  void retire(Set<Basis> bases, long atMicros, String why) {
    for (FamilyJudge family : snapshot()) {
      if (bases.contains(family.reference().basis())) {
        if (family.open() != null) {
          family.close(atMicros, why);
        }
        remove(family);
        changed.run();
      }
    }
  }

  /** Ends the comparisons with what ran before in which nothing is open. */
  void retireComparisons() {
    boolean removed =
        byName
            .values()
            .removeIf(f -> f.reference().basis() == Basis.PREDECESSOR && f.open() == null);
    if (removed) {
      changed.run();
    }
  }

  /** Takes a family away as it is. */
  void remove(FamilyJudge family) {
    byName.remove(family.name());
  }

  void write(Content.Writer out) {
    out.count(byName.size());
    byName.values().forEach(family -> family.write(out));
  }

  void read(SeriesContext series, Content.Reader in) {
    for (int left = in.count(); left > 0; left--) {
      FamilyJudge family = FamilyJudge.read(series, in);
      byName.put(family.name(), family);
    }
  }
}
