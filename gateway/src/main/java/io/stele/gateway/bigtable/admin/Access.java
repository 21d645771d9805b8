package io.stele.gateway.bigtable.admin;

import com.google.iam.v1.Policy;
import com.google.iam.v1.TestIamPermissionsRequest;
import com.google.iam.v1.TestIamPermissionsResponse;
import io.grpc.StatusRuntimeException;

/** Who may do what: whoever reaches this port may do everything, and that is what is answered. */
public final class Access {
  private Access() {}

  /** Nobody is bound to a role, since none is asked for. */
  public static Policy policy() {
    return Policy.getDefaultInstance();
  }

  public static StatusRuntimeException cannotSet(String resource) {
    return Refusal.notOffered(
        "SetIamPolicy of \"" + resource + "\"",
        "whoever reaches this port may do everything; no policy would keep anybody out");
  }

  public static TestIamPermissionsResponse test(TestIamPermissionsRequest request) {
    return TestIamPermissionsResponse.newBuilder()
        .addAllPermissions(request.getPermissionsList())
        .build();
  }
}
