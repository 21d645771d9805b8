package io.stele.bench.cluster;

import io.stele.bench.report.Result;
import java.util.List;

/** One thing that is measured of clusters that are not killed, or of masters that are. */
interface ScaleCase {
  String name();

  /** For the list of cases. */
  String about();

  /** In clusters that are its own, or that it leaves as it found them. */
  List<Result> run(ScaleArena arena) throws Exception;
}
