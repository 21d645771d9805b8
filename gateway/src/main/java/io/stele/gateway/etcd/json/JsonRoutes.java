package io.stele.gateway.etcd.json;

import io.grpc.MethodDescriptor;
import io.stele.protocol.etcd.AuthGrpc;
import io.stele.protocol.etcd.ClusterGrpc;
import io.stele.protocol.etcd.ElectionGrpc;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LockGrpc;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.WatchGrpc;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Which path stands for which call; they are etcd's. */
final class JsonRoutes {
  private static final Map<String, MethodDescriptor<?, ?>> ROUTES = routes();

  private JsonRoutes() {}

  static Optional<MethodDescriptor<?, ?>> find(String path) {
    return Optional.ofNullable(ROUTES.get(path));
  }

  private static Map<String, MethodDescriptor<?, ?>> routes() {
    Map<String, MethodDescriptor<?, ?>> routes = new HashMap<>();
    routes.put("/v3/kv/range", KVGrpc.getRangeMethod());
    routes.put("/v3/kv/put", KVGrpc.getPutMethod());
    routes.put("/v3/kv/deleterange", KVGrpc.getDeleteRangeMethod());
    routes.put("/v3/kv/txn", KVGrpc.getTxnMethod());
    routes.put("/v3/kv/compaction", KVGrpc.getCompactMethod());
    routes.put("/v3/watch", WatchGrpc.getWatchMethod());
    routes.put("/v3/lease/grant", LeaseGrpc.getLeaseGrantMethod());
    routes.put("/v3/lease/revoke", LeaseGrpc.getLeaseRevokeMethod());
    routes.put("/v3/kv/lease/revoke", LeaseGrpc.getLeaseRevokeMethod());
    routes.put("/v3/lease/keepalive", LeaseGrpc.getLeaseKeepAliveMethod());
    routes.put("/v3/lease/timetolive", LeaseGrpc.getLeaseTimeToLiveMethod());
    routes.put("/v3/kv/lease/timetolive", LeaseGrpc.getLeaseTimeToLiveMethod());
    routes.put("/v3/lease/leases", LeaseGrpc.getLeaseLeasesMethod());
    routes.put("/v3/kv/lease/leases", LeaseGrpc.getLeaseLeasesMethod());
    routes.put("/v3/lock/lock", LockGrpc.getLockMethod());
    routes.put("/v3/lock/unlock", LockGrpc.getUnlockMethod());
    routes.put("/v3/election/campaign", ElectionGrpc.getCampaignMethod());
    routes.put("/v3/election/proclaim", ElectionGrpc.getProclaimMethod());
    routes.put("/v3/election/leader", ElectionGrpc.getLeaderMethod());
    routes.put("/v3/election/observe", ElectionGrpc.getObserveMethod());
    routes.put("/v3/election/resign", ElectionGrpc.getResignMethod());
    routes.put("/v3/cluster/member/add", ClusterGrpc.getMemberAddMethod());
    routes.put("/v3/cluster/member/remove", ClusterGrpc.getMemberRemoveMethod());
    routes.put("/v3/cluster/member/update", ClusterGrpc.getMemberUpdateMethod());
    routes.put("/v3/cluster/member/list", ClusterGrpc.getMemberListMethod());
    routes.put("/v3/cluster/member/promote", ClusterGrpc.getMemberPromoteMethod());
    routes.put("/v3/maintenance/alarm", MaintenanceGrpc.getAlarmMethod());
    routes.put("/v3/maintenance/status", MaintenanceGrpc.getStatusMethod());
    routes.put("/v3/maintenance/defragment", MaintenanceGrpc.getDefragmentMethod());
    routes.put("/v3/maintenance/hash", MaintenanceGrpc.getHashKVMethod());
    routes.put("/v3/maintenance/snapshot", MaintenanceGrpc.getSnapshotMethod());
    routes.put("/v3/maintenance/transfer-leadership", MaintenanceGrpc.getMoveLeaderMethod());
    routes.put("/v3/maintenance/downgrade", MaintenanceGrpc.getDowngradeMethod());
    routes.put("/v3/auth/enable", AuthGrpc.getAuthEnableMethod());
    routes.put("/v3/auth/disable", AuthGrpc.getAuthDisableMethod());
    routes.put("/v3/auth/status", AuthGrpc.getAuthStatusMethod());
    routes.put("/v3/auth/authenticate", AuthGrpc.getAuthenticateMethod());
    routes.put("/v3/auth/user/add", AuthGrpc.getUserAddMethod());
    routes.put("/v3/auth/user/get", AuthGrpc.getUserGetMethod());
    routes.put("/v3/auth/user/list", AuthGrpc.getUserListMethod());
    routes.put("/v3/auth/user/delete", AuthGrpc.getUserDeleteMethod());
    routes.put("/v3/auth/user/changepw", AuthGrpc.getUserChangePasswordMethod());
    routes.put("/v3/auth/user/grant", AuthGrpc.getUserGrantRoleMethod());
    routes.put("/v3/auth/user/revoke", AuthGrpc.getUserRevokeRoleMethod());
    routes.put("/v3/auth/role/add", AuthGrpc.getRoleAddMethod());
    routes.put("/v3/auth/role/get", AuthGrpc.getRoleGetMethod());
    routes.put("/v3/auth/role/list", AuthGrpc.getRoleListMethod());
    routes.put("/v3/auth/role/delete", AuthGrpc.getRoleDeleteMethod());
    routes.put("/v3/auth/role/grant", AuthGrpc.getRoleGrantPermissionMethod());
    routes.put("/v3/auth/role/revoke", AuthGrpc.getRoleRevokePermissionMethod());
    return routes;
  }
}
