package io.servedrift.monitors.attribution;

/** Why a cause is named, in words. Immutable. */
final class VerdictText {
  private final Analysis analysis;
  private final Evidence evidence;

  VerdictText(Analysis analysis) {
    this.analysis = analysis;
    evidence = analysis.localisation().evidence();
  }

  String effect(Cause cause, int feature) {
    String clean =
        (analysis.untouched().ofClass() ? "of the class that moved, " : "")
            + Wording.cleanPath(analysis.untouched().path());
    return switch (cause) {
      case MODEL -> "the model changed at the onset and " + clean;
      case CONFIG_CHANGE -> "the configuration changed at the onset and " + clean;
      case UNEXPLAINED ->
          "no recorded serving covariate explains it: model, data, or something not recorded; "
              + clean;
      default -> moved(feature);
    };
  }

  String moved(int feature) {
    Feature found = evidence.feature(feature);
    // Of what is named: a graded effect is in other levels as well, and another one there.
    boolean[] rows = evidence.shown(feature);
    boolean[] others = new boolean[rows.length];
    for (int row = 0; row < rows.length; row++) {
      others[row] = !rows[row];
    }
    String moved =
        "requests with "
            + Wording.feature(found)
            + " moved by "
            + Wording.estimate(evidence.cells().estimate(rows))
            + " like for like";
    if (evidence.cells().requests(others) <= 0) {
      return moved + "; there were no others";
    }
    return moved
        + ", the others by "
        + Wording.estimate(evidence.cells().estimate(others))
        + (evidence.graded(feature) ? "; the more, the larger the batch" : "");
  }

  String exposure(CauseShare leading) {
    Attribution.Split split = analysis.split();
    String text =
        leading.cause().label() + " " + Wording.contribution(leading, analysis.explained());
    if (leading.cause() != Cause.LOAD) {
      double busier = leading.cause().serving() ? analysis.input().circumstances().busier() : 0;
      return busier == 0
          ? text
          : text
              + "; "
              + Wording.percent(busier)
              + " of the requests came at a load above all that the reference saw";
    }
    StringBuilder paths =
        new StringBuilder(text).append("; directly ").append(Wording.signed(split.directLoad()));
    split
        .mediatedLoad()
        .forEach(
            (cause, value) ->
                paths
                    .append(", through ")
                    .append(cause.label())
                    .append(' ')
                    .append(Wording.signed(value)));
    if (split.unseenLoad() > 0) {
      paths
          .append("; ")
          .append(Wording.percent(split.unseenLoad()))
          .append(" of the requests at a load above the reference");
    }
    return paths.toString();
  }
}
