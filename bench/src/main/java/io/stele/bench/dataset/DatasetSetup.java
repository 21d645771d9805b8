package io.stele.bench.dataset;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import java.util.Optional;

/**
 * What all cases share.
 *
 * @param wrk what asks over HTTP; nothing if it is not installed
 */
record DatasetSetup(
    DatasetExtent extent, Workspace workspace, Progress progress, Optional<Wrk> wrk) {}
