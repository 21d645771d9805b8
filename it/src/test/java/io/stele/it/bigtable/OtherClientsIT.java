package io.stele.it.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.bigtable.hbase.BigtableConfiguration;
import io.stele.it.process.NpmPackage;
import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** HBase's client on Bigtable's, and Node's client, with one server that is a process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@ResourceLock(Servers.SHARED)
class OtherClientsIT {
  private static final String NODE_CLIENT = "@google-cloud/bigtable@7.2.0";
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");

  @TempDir static Path directory;
  private static String address;

  @BeforeAll
  static void start() {
    address = Clients.address(Servers.shared());
  }

  // ---- HBase

  @Test
  void hbasesClientWorksOnTables() throws IOException {
    Configuration settings = BigtableConfiguration.configure(Clients.PROJECT, Clients.INSTANCE);
    settings.set("google.bigtable.emulator.endpoint.host", address);
    TableName name = TableName.valueOf("hbase");
    try (Connection connection = BigtableConfiguration.connect(settings);
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(3).build())
              .build(),
          new byte[][] {Bytes.toBytes("row4")});
      assertThat(Arrays.asList(admin.listTableNames())).contains(name);
      assertThat(admin.getDescriptor(name).getColumnFamily(FAMILY).getMaxVersions()).isEqualTo(3);
      try (Table table = connection.getTable(name)) {
        rows(table);
      }
      admin.disableTable(name);
      admin.deleteTable(name);
      assertThat(admin.tableExists(name)).isFalse();
    }
  }

  private static void rows(Table table) throws IOException {
    List<Put> puts = new ArrayList<>();
    IntStream.range(0, 100).forEach(i -> puts.add(put("row" + i, "v" + i)));
    table.put(puts);
    byte[] row = Bytes.toBytes("row7");
    assertThat(table.get(new Get(row)).getValue(FAMILY, COLUMN)).isEqualTo(Bytes.toBytes("v7"));
    assertThat(table.incrementColumnValue(Bytes.toBytes("sum"), FAMILY, COLUMN, 42)).isEqualTo(42);
    Scan scan =
        new Scan()
            .withStartRow(Bytes.toBytes("row1"))
            .withStopRow(Bytes.toBytes("row3"))
            .setFilter(new PrefixFilter(Bytes.toBytes("row2")));
    try (ResultScanner found = table.getScanner(scan)) {
      assertThat(StreamSupport.stream(found.spliterator(), false).map(Result::getRow)).hasSize(11);
    }
    assertThat(
            table
                .checkAndMutate(row, FAMILY)
                .qualifier(COLUMN)
                .ifEquals(Bytes.toBytes("v7"))
                .thenPut(put("row7", "new")))
        .isTrue();
    table.delete(new Delete(row));
    assertThat(table.get(new Get(row)).isEmpty()).isTrue();
  }

  private static Put put(String row, String value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value));
  }

  // ---- Node

  @Test
  void nodesClientWorksOnTables() throws IOException {
    NpmPackage client = NpmPackage.installed(NODE_CLIENT);
    try (InputStream script =
        Objects.requireNonNull(getClass().getResourceAsStream("/bigtable/client.js"))) {
      Files.copy(script, directory.resolve("client.js"));
    }
    Program.Result found =
        new Program(
                List.of("node", "client.js"),
                directory,
                variables -> {
                  variables.putAll(client.variables());
                  variables.put("BIGTABLE_EMULATOR_HOST", address);
                  variables.put("METADATA_SERVER_DETECTION", "none"); // no machine of Google's
                })
            .run();
    assertThat(found.out().lines())
        .as("it complained: %s", found.err())
        .containsExactly(
            "tables node",
            "row Ada",
            "rows b,z",
            "filtered b,z",
            "matched true",
            "count 42",
            "families f,g",
            "left a,z",
            "exists false");
    assertThat(found.exitCode()).isZero();
  }
}
