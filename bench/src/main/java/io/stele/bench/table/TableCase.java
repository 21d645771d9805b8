package io.stele.bench.table;

import io.stele.bench.report.Result;

/** One thing that is measured on both sides. */
interface TableCase {
  String name();

  /** By which it is chosen together with others of its kind. */
  String group();

  /** For the list of cases. */
  String about();

  Result run(Arena arena) throws Exception;
}
