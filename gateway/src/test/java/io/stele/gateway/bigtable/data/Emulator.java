package io.stele.gateway.bigtable.data;

import com.google.bigtable.admin.v2.BigtableTableAdminGrpc;
import com.google.bigtable.admin.v2.ColumnFamily;
import com.google.bigtable.admin.v2.CreateTableRequest;
import com.google.bigtable.admin.v2.ModifyColumnFamiliesRequest;
import com.google.bigtable.v2.BigtableGrpc;
import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.cloud.bigtable.emulator.core.EmulatorController;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Google's emulator of Bigtable, as a process of its own, with the same table as the fixture. */
final class Emulator implements AutoCloseable {
  final BigtableBlockingStub stub;
  private final EmulatorController process;
  private final ManagedChannel channel;

  private Emulator(EmulatorController process, String... families) {
    this.process = process;
    this.channel =
        NettyChannelBuilder.forAddress("127.0.0.1", process.getPort()).usePlaintext().build();
    this.stub = BigtableGrpc.newBlockingStub(channel).withInterceptors(DataFixture.reverseScans());
    BigtableTableAdminGrpc.BigtableTableAdminBlockingStub admin =
        BigtableTableAdminGrpc.newBlockingStub(channel);
    admin.createTable(
        CreateTableRequest.newBuilder().setParent(DataFixture.INSTANCE).setTableId("t").build());
    // One by one: it orders families by when they were made, and those of one request by chance.
    for (String family : families) {
      admin.modifyColumnFamilies(
          ModifyColumnFamiliesRequest.newBuilder()
              .setName(DataFixture.TABLE)
              .addModifications(
                  ModifyColumnFamiliesRequest.Modification.newBuilder()
                      .setId(family)
                      .setCreate(ColumnFamily.getDefaultInstance()))
              .build());
    }
  }

  /** Starts it. Its program comes with Google's jar, for a few kinds of machines. */
  static Emulator start(String... families) {
    EmulatorController process;
    try {
      process = EmulatorController.createBundled();
      process.start();
    } catch (IOException | TimeoutException | RuntimeException e) {
      Needs.that(false, "Google's emulator of Bigtable does not run on this machine: " + e);
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return new Emulator(process, families);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.stop();
  }
}
