package io.stele.testkit.golden;

import java.util.List;

/** What changed between two texts, line by line: for people who read a failed test. */
final class LineDiff {
  private LineDiff() {}

  /**
   * All lines of both texts in order, each marked: {@code " "} in both, {@code "- "} only in the
   * first, {@code "+ "} only in the second.
   */
  static String of(String expected, String actual) {
    List<String> left = expected.lines().toList();
    List<String> right = actual.lines().toList();
    int[][] common = commonLengths(left, right);
    StringBuilder diff = new StringBuilder();
    int i = 0;
    int j = 0;
    while (i < left.size() || j < right.size()) {
      if (i < left.size() && j < right.size() && left.get(i).equals(right.get(j))) {
        diff.append("  ").append(left.get(i++)).append('\n');
        j++;
      } else if (j == right.size() || (i < left.size() && common[i + 1][j] >= common[i][j + 1])) {
        diff.append("- ").append(left.get(i++)).append('\n');
      } else {
        diff.append("+ ").append(right.get(j++)).append('\n');
      }
    }
    return diff.toString();
  }

  /** For each pair of tails, how many lines they have in common in the same order. */
  private static int[][] commonLengths(List<String> left, List<String> right) {
    int[][] common = new int[left.size() + 1][right.size() + 1];
    for (int i = left.size() - 1; i >= 0; i--) {
      for (int j = right.size() - 1; j >= 0; j--) {
        common[i][j] =
            left.get(i).equals(right.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }
}
