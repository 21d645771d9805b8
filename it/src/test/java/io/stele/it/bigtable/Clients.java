package io.stele.it.bigtable;

import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import io.stele.base.process.ServerProcess;
import java.io.IOException;

/** Google's clients, as they are set up for what is not Google's. */
final class Clients {
  static final String PROJECT = "project";
  static final String INSTANCE = "instance";

  private Clients() {}

  /** Where Bigtable's clients find a server. */
  static String address(ServerProcess server) {
    return server.addresses().of("bigtable");
  }

  private static int port(ServerProcess server) {
    String address = address(server);
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  static BigtableTableAdminClient admin(ServerProcess server) throws IOException {
    return BigtableTableAdminClient.create(
        BigtableTableAdminSettings.newBuilderForEmulator(port(server))
            .setProjectId(PROJECT)
            .setInstanceId(INSTANCE)
            .build());
  }

  static BigtableDataClient data(ServerProcess server) throws IOException {
    return BigtableDataClient.create(
        BigtableDataSettings.newBuilderForEmulator(port(server))
            .setProjectId(PROJECT)
            .setInstanceId(INSTANCE)
            .build());
  }
}
