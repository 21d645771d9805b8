package io.stele.gateway.bigtable.instance;

import com.google.bigtable.admin.v2.Cluster;
import com.google.bigtable.admin.v2.CreateInstanceMetadata;
import com.google.bigtable.admin.v2.CreateInstanceRequest;
import com.google.bigtable.admin.v2.Instance;
import com.google.bigtable.admin.v2.ListInstancesResponse;
import com.google.bigtable.admin.v2.PartialUpdateInstanceRequest;
import com.google.bigtable.admin.v2.StorageType;
import com.google.bigtable.admin.v2.UpdateInstanceMetadata;
import com.google.longrunning.Operation;
import com.google.protobuf.Timestamp;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.admin.ClusterName;
import io.stele.gateway.bigtable.admin.Refusal;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.NamePattern;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Instances are names: every one of them is there, and shows all tables. To make one notes what it
 * is to be called, so that it is listed; to delete it forgets that, and no table.
 */
final class Instances {
  private static final NamePattern PROJECT = new NamePattern("projects/{project}");
  private static final long MICROS = 1_000_000;

  private final NotedMessages<Instance> notes;
  private final DoneOperations operations;
  private final Clock clock;

  Instances(Notes notes, DoneOperations operations, Clock clock) {
    this.notes = new NotedMessages<>(notes, Notes.INSTANCES, Instance.parser());
    this.operations = operations;
    this.clock = clock;
  }

  private Timestamp now() {
    long micros = clock.micros();
    return Timestamp.newBuilder()
        .setSeconds(Math.floorDiv(micros, MICROS))
        .setNanos((int) Math.floorMod(micros, MICROS) * 1000)
        .build();
  }

  private static Instance shown(InstanceName name, Instance noted) {
    return noted.toBuilder()
        .setName(name.toString())
        .setDisplayName(noted.getDisplayName().isEmpty() ? name.instance() : noted.getDisplayName())
        .setState(Instance.State.READY)
        .setType(Instance.Type.PRODUCTION)
        .build();
  }

  Instance get(InstanceName name) {
    return shown(name, notes.get(name.toString()).orElse(Instance.getDefaultInstance()));
  }

  /** Those that were made, and the one that is there without it. */
  ListInstancesResponse list(String project) {
    String id = PROJECT.parts(project).getFirst();
    SortedMap<String, Instance> found = notes.list(project + "/instances/");
    InstanceName always = new InstanceName(id, ClusterName.ONLY);
    found.putIfAbsent(always.toString(), Instance.getDefaultInstance());
    ListInstancesResponse.Builder response = ListInstancesResponse.newBuilder();
    found.forEach((name, noted) -> response.addInstances(shown(InstanceName.parse(name), noted)));
    return response.build();
  }

  Operation create(CreateInstanceRequest request) {
    String project = PROJECT.parts(request.getParent()).getFirst();
    if (request.getInstanceId().isEmpty() || request.getInstanceId().contains("/")) {
      throw new InvalidRequestException(
          "instance id \"" + request.getInstanceId() + "\": must have a character, and no slash");
    }
    InstanceName name = new InstanceName(project, request.getInstanceId());
    Timestamp start = now();
    notes.change(
        name.toString(),
        known -> {
          if (known.isPresent()) {
            throw Refusal.exists("instance \"" + name + "\"");
          }
          return Optional.of(
              request.getInstance().toBuilder().clearName().setCreateTime(start).build());
        });
    return operations.done(
        name.toString(),
        CreateInstanceMetadata.newBuilder()
            .setOriginalRequest(request)
            .setRequestTime(start)
            .setFinishTime(now())
            .build(),
        get(name));
  }

  Instance update(Instance given) {
    InstanceName name = InstanceName.parse(given.getName());
    notes.put(name.toString(), given.toBuilder().clearName().build());
    return get(name);
  }

  Operation update(PartialUpdateInstanceRequest request) {
    InstanceName name = InstanceName.parse(request.getInstance().getName());
    Instance.Builder changed =
        notes.get(name.toString()).orElse(Instance.getDefaultInstance()).toBuilder();
    List<String> paths = request.getUpdateMask().getPathsList();
    for (String path : paths) {
      switch (path) {
        case "display_name" -> changed.setDisplayName(request.getInstance().getDisplayName());
        case "labels" -> changed.clearLabels().putAllLabels(request.getInstance().getLabelsMap());
        case "type" -> {
          // All are of one type.
        }
        default ->
            throw new InvalidRequestException(
                "update_mask \"" + path + "\" of an instance: must be display_name or labels");
      }
    }
    Timestamp start = now();
    notes.put(name.toString(), changed.build());
    return operations.done(
        name.toString(),
        UpdateInstanceMetadata.newBuilder()
            .setOriginalRequest(request)
            .setRequestTime(start)
            .setFinishTime(now())
            .build(),
        get(name));
  }

  void delete(InstanceName name) {
    if (notes.get(name.toString()).isEmpty()) {
      throw Refusal.precondition(
          "instance \""
              + name
              + "\" was not made by CreateInstance: it is a name that shows all tables, and cannot"
              + " be deleted");
    }
    notes.remove(name.toString());
  }

  /** All servers are one cluster, of whatever name. */
  static Cluster cluster(ClusterName name) {
    return Cluster.newBuilder()
        .setName(name.toString())
        .setLocation("projects/" + name.instance().project() + "/locations/" + ClusterName.ONLY)
        .setState(Cluster.State.READY)
        .setServeNodes(1)
        .setDefaultStorageType(StorageType.SSD)
        .build();
  }
}
