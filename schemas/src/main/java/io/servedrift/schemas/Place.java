package io.servedrift.schemas;

import org.jspecify.annotations.Nullable;

/** Where the reader is in an item; becomes text only when something is wrong there. */
final class Place {
  static final Place ROOT = new Place(null, "", -1);

  private final @Nullable Place parent;
  private final String name;
  private final int index;

  private Place(@Nullable Place parent, String name, int index) {
    this.parent = parent;
    this.name = name;
    this.index = index;
  }

  Place member(String member) {
    return new Place(this, member, -1);
  }

  Place entry(int i) {
    return new Place(this, "", i);
  }

  String path(String member) {
    String own = path();
    return own.isEmpty() ? member : own + "." + member;
  }

  String path() {
    if (parent == null) {
      return "";
    }
    String above = parent.path();
    if (index >= 0) {
      return above + "[" + index + "]";
    }
    String shown = Sensitive.shownName(name);
    return above.isEmpty() ? shown : above + "." + shown;
  }
}
