package io.servedrift.schemas;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with one item. Not thread-safe; allocates nothing while all is well. */
final class Problems {
  /**
   * Beyond it problems are only counted: an array of a thousand wrong entries makes one readable
   * answer.
   */
  private static final int LISTED = 100;

  /** Unknown fields that are named, of one item. */
  private static final int NAMED = 16;

  private @Nullable List<Problem> list;
  private @Nullable RejectReason first;
  private int more;
  private int unknownFields;
  private @Nullable List<String> unknownNames;

  /** Counts a field that no schema knows; the first of an item are named. */
  void unknown(String path) {
    unknownFields++;
    if (unknownNames == null) {
      unknownNames = new ArrayList<>();
    }
    if (unknownNames.size() < NAMED) {
      unknownNames.add(path);
    }
  }

  int unknownFields() {
    return unknownFields;
  }

  List<String> unknownNames() {
    return unknownNames == null ? List.of() : unknownNames;
  }

  void add(RejectReason reason, String path, String value, String allowed) {
    if (list == null) {
      list = new ArrayList<>();
      first = reason;
    }
    if (list.size() < LISTED) {
      list.add(new Problem(path, value, allowed));
    } else {
      more++;
    }
  }

  boolean none() {
    return list == null;
  }

  /** Whether the field, or something in it, is already known to be wrong. */
  boolean touches(String field) {
    if (list == null) {
      return false;
    }
    for (Problem p : list) {
      String path = p.path();
      if (path.startsWith(field)
          && (path.length() == field.length()
              || path.charAt(field.length()) == '.'
              || path.charAt(field.length()) == '[')) {
        return true;
      }
    }
    return false;
  }

  Reading.Rejected rejected() {
    if (list == null || first == null) {
      throw new IllegalStateException("nothing was wrong");
    }
    List<Problem> all = new ArrayList<>(list);
    if (more > 0) {
      all.add(new Problem("(further)", more + " more problems", "as above"));
    }
    return new Reading.Rejected(first.code(), all);
  }
}
