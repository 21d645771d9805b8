package io.stele.bench.cluster;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;

/**
 * What the cases of one run of {@code stele bench recovery} share.
 *
 * @param recommended the peer at the session time-out that it comes with
 * @param alike the peer at Stele's
 */
record RecoverySetup(
    RecoveryExtent extent,
    ClusterSide stele,
    Rival recommended,
    Rival alike,
    Workspace workspace,
    Progress progress) {}
