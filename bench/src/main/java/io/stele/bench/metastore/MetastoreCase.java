package io.stele.bench.metastore;

import io.stele.bench.report.Result;
import java.util.List;

/** One thing that is measured on both sides. */
sealed interface MetastoreCase {
  /** By which it is chosen on the command line. */
  String name();

  /** For the list of cases. */
  String about();

  /** Runs once for each size of group, on groups that run already. */
  non-sealed interface InArena extends MetastoreCase {
    List<Result> run(Arena arena) throws Exception;
  }

  /** Runs once, and starts what it needs by itself. */
  non-sealed interface Once extends MetastoreCase {
    List<Result> run(Setup setup) throws Exception;
  }
}
