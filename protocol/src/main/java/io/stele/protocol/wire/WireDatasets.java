package io.stele.protocol.wire;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.Origin;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.protocol.v1.DatasetAnswer;
import io.stele.protocol.v1.DatasetNode;
import io.stele.protocol.v1.DatasetReport;
import io.stele.protocol.v1.DatasetStatusResponse;
import io.stele.protocol.v1.DatasetVersion;
import io.stele.protocol.v1.LookUpRequest;
import io.stele.protocol.v1.LookUpResponse;
import java.util.ArrayList;
import java.util.List;

/** Lookups in datasets and their status, to and from the wire. */
public final class WireDatasets {
  private WireDatasets() {}

  // ---- lookups

  public static LookUpRequest toWire(String dataset, List<Bytes> keys) {
    LookUpRequest.Builder request = LookUpRequest.newBuilder().setDataset(dataset);
    keys.forEach(key -> request.addKeys(WireCells.toWire(key)));
    return request.build();
  }

  public static List<Bytes> keys(LookUpRequest request) {
    return request.getKeysList().stream().map(WireCells::bytes).toList();
  }

  /** Answers that are all from one version. */
  public static LookUpResponse toWire(List<Lookup> lookups) {
    LookUpResponse.Builder response = LookUpResponse.newBuilder();
    for (Lookup lookup : lookups) {
      DatasetAnswer.Builder answer = DatasetAnswer.newBuilder();
      switch (lookup) {
        case Lookup.Found(Bytes value, Origin origin) -> {
          from(origin, response, answer);
          answer.setOutcome(DatasetAnswer.Outcome.FOUND).setValue(WireCells.toWire(value));
        }
        case Lookup.Missing(Origin origin) -> from(origin, response, answer);
        case Lookup.Failed failed -> {
          response.setVersion(failed.version());
          answer.setOutcome(outcome(failed.failure())).setReason(failed.reason());
        }
      }
      response.addAnswers(answer);
    }
    return response.build();
  }

  private static void from(
      Origin origin, LookUpResponse.Builder response, DatasetAnswer.Builder answer) {
    response.setVersion(origin.version()).setLoadedMicros(origin.loadedMicros());
    answer.setProxiedTo(origin.proxiedTo());
  }

  private static DatasetAnswer.Outcome outcome(Lookup.Failure failure) {
    return switch (failure) {
      case NO_PEER -> DatasetAnswer.Outcome.NO_PEER;
      case TIMED_OUT -> DatasetAnswer.Outcome.TIMED_OUT;
      case LOCAL -> DatasetAnswer.Outcome.UNREADABLE;
    };
  }

  public static List<Lookup> lookups(LookUpResponse response) {
    List<Lookup> lookups = new ArrayList<>(response.getAnswersCount());
    for (DatasetAnswer answer : response.getAnswersList()) {
      lookups.add(lookup(response, answer));
    }
    return lookups;
  }

  private static Lookup lookup(LookUpResponse response, DatasetAnswer answer) {
    Origin origin =
        new Origin(response.getVersion(), response.getLoadedMicros(), answer.getProxiedTo());
    return switch (answer.getOutcome()) {
      case FOUND -> new Lookup.Found(WireCells.bytes(answer.getValue()), origin);
      case MISSING -> new Lookup.Missing(origin);
      case NO_PEER -> failed(response, answer, Lookup.Failure.NO_PEER);
      case TIMED_OUT -> failed(response, answer, Lookup.Failure.TIMED_OUT);
      case UNREADABLE, UNRECOGNIZED -> failed(response, answer, Lookup.Failure.LOCAL);
    };
  }

  private static Lookup failed(
      LookUpResponse response, DatasetAnswer answer, Lookup.Failure failure) {
    return new Lookup.Failed(response.getVersion(), failure, answer.getReason());
  }

  // ---- status

  public static DatasetStatusResponse statusToWire(List<DatasetStatus> datasets) {
    DatasetStatusResponse.Builder response = DatasetStatusResponse.newBuilder();
    for (DatasetStatus dataset : datasets) {
      DatasetReport.Builder report =
          DatasetReport.newBuilder()
              .setDataset(dataset.dataset())
              .setServing(dataset.serving())
              .setPinned(dataset.pinned())
              .setProblem(dataset.problem());
      dataset.versions().forEach(version -> report.addVersions(toWire(version)));
      response.addDatasets(report);
    }
    return response.build();
  }

  private static DatasetVersion toWire(VersionStatus version) {
    DatasetVersion.Builder wire =
        DatasetVersion.newBuilder()
            .setVersion(version.version())
            .setPath(version.path())
            .setShards(version.shards())
            .setReplication(version.replication())
            .putAllHistogram(version.histogram());
    version.nodes().forEach(node -> wire.addNodes(toWire(node)));
    return wire.build();
  }

  private static DatasetNode toWire(NodeVersion node) {
    LoadProgress progress = node.progress();
    return DatasetNode.newBuilder()
        .setNode(node.node())
        .setState(toWire(node.state()))
        .setReason(node.reason())
        .setServing(node.serving())
        .addAllShards(node.shards())
        .setRecords(progress.records())
        .setBytes(progress.bytes())
        .setTotalBytes(progress.totalBytes())
        .setShardsDone(progress.shardsDone())
        .setShardsAssigned(progress.shardsAssigned())
        .setCreatedMicros(node.createdMicros())
        .setActiveMicros(node.activeMicros())
        .build();
  }

  private static DatasetNode.State toWire(VersionState state) {
    return switch (state) {
      case AVAILABLE -> DatasetNode.State.AVAILABLE;
      case BUILDING -> DatasetNode.State.BUILDING;
      case ACTIVE -> DatasetNode.State.ACTIVE;
      case REMOVING -> DatasetNode.State.REMOVING;
      case ERROR -> DatasetNode.State.ERROR;
    };
  }

  public static List<DatasetStatus> status(DatasetStatusResponse response) {
    return response.getDatasetsList().stream()
        .map(
            report ->
                new DatasetStatus(
                    report.getDataset(),
                    report.getServing(),
                    report.getPinned(),
                    report.getVersionsList().stream().map(WireDatasets::version).toList(),
                    report.getProblem()))
        .toList();
  }

  private static VersionStatus version(DatasetVersion wire) {
    return new VersionStatus(
        wire.getVersion(),
        wire.getPath(),
        wire.getShards(),
        wire.getReplication(),
        wire.getHistogramMap(),
        wire.getNodesList().stream().map(WireDatasets::node).toList());
  }

  private static NodeVersion node(DatasetNode wire) {
    return new NodeVersion(
        wire.getNode(),
        state(wire.getState()),
        wire.getReason(),
        wire.getServing(),
        wire.getShardsList(),
        new LoadProgress(
            wire.getRecords(),
            wire.getBytes(),
            wire.getTotalBytes(),
            wire.getShardsDone(),
            wire.getShardsAssigned()),
        wire.getCreatedMicros(),
        wire.getActiveMicros());
  }

  private static VersionState state(DatasetNode.State wire) {
    return switch (wire) {
      case AVAILABLE, UNRECOGNIZED -> VersionState.AVAILABLE;
      case BUILDING -> VersionState.BUILDING;
      case ACTIVE -> VersionState.ACTIVE;
      case REMOVING -> VersionState.REMOVING;
      case ERROR -> VersionState.ERROR;
    };
  }
}
