package io.stele.gateway.bigtable.instance;

import com.google.bigtable.admin.v2.AppProfile;
import com.google.bigtable.admin.v2.BigtableInstanceAdminGrpc;
import com.google.bigtable.admin.v2.Cluster;
import com.google.bigtable.admin.v2.CreateAppProfileRequest;
import com.google.bigtable.admin.v2.CreateClusterRequest;
import com.google.bigtable.admin.v2.CreateInstanceRequest;
import com.google.bigtable.admin.v2.CreateLogicalViewRequest;
import com.google.bigtable.admin.v2.CreateMaterializedViewRequest;
import com.google.bigtable.admin.v2.DeleteAppProfileRequest;
import com.google.bigtable.admin.v2.DeleteClusterRequest;
import com.google.bigtable.admin.v2.DeleteInstanceRequest;
import com.google.bigtable.admin.v2.DeleteLogicalViewRequest;
import com.google.bigtable.admin.v2.DeleteMaterializedViewRequest;
import com.google.bigtable.admin.v2.GetAppProfileRequest;
import com.google.bigtable.admin.v2.GetClusterRequest;
import com.google.bigtable.admin.v2.GetInstanceRequest;
import com.google.bigtable.admin.v2.GetLogicalViewRequest;
import com.google.bigtable.admin.v2.GetMaterializedViewRequest;
import com.google.bigtable.admin.v2.Instance;
import com.google.bigtable.admin.v2.ListAppProfilesRequest;
import com.google.bigtable.admin.v2.ListAppProfilesResponse;
import com.google.bigtable.admin.v2.ListClustersRequest;
import com.google.bigtable.admin.v2.ListClustersResponse;
import com.google.bigtable.admin.v2.ListHotTabletsRequest;
import com.google.bigtable.admin.v2.ListHotTabletsResponse;
import com.google.bigtable.admin.v2.ListInstancesRequest;
import com.google.bigtable.admin.v2.ListInstancesResponse;
import com.google.bigtable.admin.v2.ListLogicalViewsRequest;
import com.google.bigtable.admin.v2.ListLogicalViewsResponse;
import com.google.bigtable.admin.v2.ListMaterializedViewsRequest;
import com.google.bigtable.admin.v2.ListMaterializedViewsResponse;
import com.google.bigtable.admin.v2.LogicalView;
import com.google.bigtable.admin.v2.MaterializedView;
import com.google.bigtable.admin.v2.PartialUpdateClusterRequest;
import com.google.bigtable.admin.v2.PartialUpdateInstanceRequest;
import com.google.bigtable.admin.v2.UpdateAppProfileRequest;
import com.google.bigtable.admin.v2.UpdateLogicalViewRequest;
import com.google.bigtable.admin.v2.UpdateMaterializedViewRequest;
import com.google.iam.v1.GetIamPolicyRequest;
import com.google.iam.v1.Policy;
import com.google.iam.v1.SetIamPolicyRequest;
import com.google.iam.v1.TestIamPermissionsRequest;
import com.google.iam.v1.TestIamPermissionsResponse;
import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.admin.Access;
import io.stele.gateway.bigtable.admin.ClusterName;
import io.stele.gateway.bigtable.admin.Refusal;
import io.stele.gateway.bigtable.call.BigtableCalls;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;

/** {@code google.bigtable.admin.v2.BigtableInstanceAdmin}. */
public final class InstanceAdminService
    extends BigtableInstanceAdminGrpc.BigtableInstanceAdminImplBase {
  private static final String CLUSTERS =
      "the servers of Stele are one cluster, and are started and stopped by whoever runs them: see"
          + " `stele cluster`";
  private static final String VIEWS = "views by SQL are not offered";
  private static final String HOT =
      "the master moves tablets by itself as they are used: see `stele cluster status`";

  private final Instances instances;
  private final AppProfiles profiles;
  private final BigtableCalls calls;

  public InstanceAdminService(
      Notes notes, DoneOperations operations, Clock clock, BigtableCalls calls) {
    this.instances = new Instances(notes, operations, clock);
    this.profiles = new AppProfiles(notes, operations);
    this.calls = calls;
  }

  private static Empty done(Runnable work) {
    work.run();
    return Empty.getDefaultInstance();
  }

  private <R> void refuse(StreamObserver<R> caller, String what, String why) {
    calls.answer(
        caller,
        () -> {
          throw Refusal.notOffered(what, why);
        });
  }

  @Override
  public void createInstance(CreateInstanceRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> instances.create(request));
  }

  @Override
  public void getInstance(GetInstanceRequest request, StreamObserver<Instance> caller) {
    calls.answer(caller, () -> instances.get(InstanceName.parse(request.getName())));
  }

  @Override
  public void listInstances(
      ListInstancesRequest request, StreamObserver<ListInstancesResponse> caller) {
    calls.answer(caller, () -> instances.list(request.getParent()));
  }

  @Override
  public void updateInstance(Instance request, StreamObserver<Instance> caller) {
    calls.answer(caller, () -> instances.update(request));
  }

  @Override
  public void partialUpdateInstance(
      PartialUpdateInstanceRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> instances.update(request));
  }

  @Override
  public void deleteInstance(DeleteInstanceRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> instances.delete(InstanceName.parse(request.getName()))));
  }

  @Override
  public void getCluster(GetClusterRequest request, StreamObserver<Cluster> caller) {
    calls.answer(caller, () -> Instances.cluster(ClusterName.parse(request.getName())));
  }

  @Override
  public void listClusters(
      ListClustersRequest request, StreamObserver<ListClustersResponse> caller) {
    calls.answer(
        caller,
        () ->
            ListClustersResponse.newBuilder()
                .addClusters(
                    Instances.cluster(
                        new ClusterName(InstanceName.parse(request.getParent()), ClusterName.ONLY)))
                .build());
  }

  @Override
  public void createAppProfile(CreateAppProfileRequest request, StreamObserver<AppProfile> caller) {
    calls.answer(caller, () -> profiles.create(request));
  }

  @Override
  public void getAppProfile(GetAppProfileRequest request, StreamObserver<AppProfile> caller) {
    calls.answer(caller, () -> profiles.get(request.getName()));
  }

  @Override
  public void listAppProfiles(
      ListAppProfilesRequest request, StreamObserver<ListAppProfilesResponse> caller) {
    calls.answer(caller, () -> profiles.list(request));
  }

  @Override
  public void updateAppProfile(UpdateAppProfileRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> profiles.update(request));
  }

  @Override
  public void deleteAppProfile(DeleteAppProfileRequest request, StreamObserver<Empty> caller) {
    calls.answer(caller, () -> done(() -> profiles.delete(request.getName())));
  }

  @Override
  public void getIamPolicy(GetIamPolicyRequest request, StreamObserver<Policy> caller) {
    calls.answer(caller, () -> Access.policy());
  }

  @Override
  public void setIamPolicy(SetIamPolicyRequest request, StreamObserver<Policy> caller) {
    calls.answer(
        caller,
        () -> {
          throw Access.cannotSet(request.getResource());
        });
  }

  @Override
  public void testIamPermissions(
      TestIamPermissionsRequest request, StreamObserver<TestIamPermissionsResponse> caller) {
    calls.answer(caller, () -> Access.test(request));
  }

  // ---- what is not offered

  @Override
  public void createCluster(CreateClusterRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "CreateCluster", CLUSTERS);
  }

  @Override
  public void updateCluster(Cluster request, StreamObserver<Operation> caller) {
    refuse(caller, "UpdateCluster", CLUSTERS);
  }

  @Override
  public void partialUpdateCluster(
      PartialUpdateClusterRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "PartialUpdateCluster", CLUSTERS);
  }

  @Override
  public void deleteCluster(DeleteClusterRequest request, StreamObserver<Empty> caller) {
    refuse(caller, "DeleteCluster", CLUSTERS);
  }

  @Override
  public void listHotTablets(
      ListHotTabletsRequest request, StreamObserver<ListHotTabletsResponse> caller) {
    refuse(caller, "ListHotTablets", HOT);
  }

  @Override
  public void createLogicalView(
      CreateLogicalViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "CreateLogicalView", VIEWS);
  }

  @Override
  public void createMaterializedView(
      CreateMaterializedViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "CreateMaterializedView", VIEWS);
  }

  @Override
  public void listLogicalViews(
      ListLogicalViewsRequest request, StreamObserver<ListLogicalViewsResponse> caller) {
    refuse(caller, "ListLogicalViews", VIEWS);
  }

  @Override
  public void listMaterializedViews(
      ListMaterializedViewsRequest request, StreamObserver<ListMaterializedViewsResponse> caller) {
    refuse(caller, "ListMaterializedViews", VIEWS);
  }

  @Override
  public void getLogicalView(GetLogicalViewRequest request, StreamObserver<LogicalView> caller) {
    refuse(caller, "GetLogicalView", VIEWS);
  }

  @Override
  public void getMaterializedView(
      GetMaterializedViewRequest request, StreamObserver<MaterializedView> caller) {
    refuse(caller, "GetMaterializedView", VIEWS);
  }

  @Override
  public void updateLogicalView(
      UpdateLogicalViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "UpdateLogicalView", VIEWS);
  }

  @Override
  public void updateMaterializedView(
      UpdateMaterializedViewRequest request, StreamObserver<Operation> caller) {
    refuse(caller, "UpdateMaterializedView", VIEWS);
  }

  @Override
  public void deleteLogicalView(DeleteLogicalViewRequest request, StreamObserver<Empty> caller) {
    refuse(caller, "DeleteLogicalView", VIEWS);
  }

  @Override
  public void deleteMaterializedView(
      DeleteMaterializedViewRequest request, StreamObserver<Empty> caller) {
    refuse(caller, "DeleteMaterializedView", VIEWS);
  }
}
