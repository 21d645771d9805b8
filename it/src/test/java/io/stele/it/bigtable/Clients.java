package io.stele.it.bigtable;

import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import java.io.IOException;

/** Google's clients, as they are set up for what is not Google's. */
final class Clients {
  static final String PROJECT = "project";
  static final String INSTANCE = "instance";

  private Clients() {}

  static BigtableTableAdminClient admin(int port) throws IOException {
    return BigtableTableAdminClient.create(
        BigtableTableAdminSettings.newBuilderForEmulator(port)
            .setProjectId(PROJECT)
            .setInstanceId(INSTANCE)
            .build());
  }

  static BigtableDataClient data(int port) throws IOException {
    return BigtableDataClient.create(
        BigtableDataSettings.newBuilderForEmulator(port)
            .setProjectId(PROJECT)
            .setInstanceId(INSTANCE)
            .build());
  }
}
