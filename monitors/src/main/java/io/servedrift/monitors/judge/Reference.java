package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.ReferenceCubes;
import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import java.util.List;

/**
 * A baseline with what findings and attribution need of the same traffic: its plain numbers and its
 * cells by half hour. Immutable.
 *
 * @param basis what it is to the series that is judged
 * @param group the model and configuration it comes from
 * @param scorer who scored it; empty for metrics without scorer
 */
record Reference(
    Basis basis,
    Group group,
    String scorer,
    Baseline baseline,
    ReferenceCubes cubes,
    Summary summary) {

  static Reference of(
      Basis basis, Group group, String scorer, Baseline baseline, List<CellPane> panes) {
    return new Reference(
        basis,
        group,
        scorer,
        baseline,
        ReferenceCubes.of(baseline, panes),
        Summary.of(panes, baseline.paneMicros()));
  }

  void write(Content.Writer out) {
    out.count(basis.code());
    out.text(group.modelId());
    out.text(group.configId());
    out.text(scorer);
    out.blob(baseline.encode());
    cubes.write(out);
    summary.write(out);
  }

  static Reference read(Content.Reader in) {
    return new Reference(
        Basis.of(in.count()),
        new Group(in.text(), in.text()),
        in.text(),
        Baseline.decode(in.blob()),
        ReferenceCubes.read(in),
        Summary.read(in));
  }
}
