package io.stele.bench.replica;

/** What is timed as a whole. */
enum Trial {
  CONVERGE(
      "converge",
      "from the end of a cut (SIGSTOP) of one server, while others took writes, to all replicas"
          + " alike"),
  SPLIT("split", "from the request to split a table under writes to both halves in its place"),
  REPLACE(
      "replace", "from kill -9 of a server for good to as many replicas as before, all complete");

  private final String caseName;
  private final String about;

  Trial(String caseName, String about) {
    this.caseName = caseName;
    this.about = about;
  }

  String caseName() {
    return caseName;
  }

  String about() {
    return about;
  }

  /**
   * What a trial took.
   *
   * @param bytes that had to be written for it, on one server
   */
  record Timing(double seconds, long bytes, String note) {}
}
