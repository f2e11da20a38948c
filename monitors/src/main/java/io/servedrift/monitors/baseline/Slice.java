package io.servedrift.monitors.baseline;

/**
 * A part of the traffic that has tracks of its own, besides the strata: a traffic class or a node.
 * Immutable.
 *
 * @param axis what it is a part by
 * @param index position among the traffic classes or the nodes of the baseline
 * @param name name of the class or node, for reports
 */
public record Slice(Axis axis, int index, String name) {
  /** By what traffic is cut. */
  public enum Axis {
    /** Traffic class: like requests of one class against what is expected of it. */
    TRAFFIC_CLASS(0, "class"),
    /** Node: one against the rest within the same panes, so that what all share cancels. */
    NODE(1, "node");

    private final int code;
    private final String word;

    Axis(int code, String word) {
      this.code = code;
      this.word = word;
    }

    static Axis of(int code) {
      for (Axis axis : values()) {
        if (axis.code == code) {
          return axis;
        }
      }
      throw new IllegalArgumentException("axis of a slice " + code + ": must be 0 or 1");
    }
  }

  /** Name in findings and documents, for example {@code class portrait}. */
  public String label() {
    return axis.word + " " + name;
  }

  void write(Content.Writer out) {
    out.count(axis.code);
    out.count(index);
    out.text(name);
  }

  static Slice read(Content.Reader in) {
    return new Slice(Axis.of(in.count()), in.count(), in.text());
  }
}
