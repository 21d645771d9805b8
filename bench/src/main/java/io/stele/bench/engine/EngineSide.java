package io.stele.bench.engine;

import java.nio.file.Path;

/** One of the engines that are measured side by side. */
interface EngineSide {
  String name();

  /** How it is set up, for the head of the report. */
  String options(EngineOptions options);

  /** Opens a directory, which may be empty, for the records that are or will be in it. */
  Engine open(Path directory, Records records, EngineOptions options) throws Exception;
}
