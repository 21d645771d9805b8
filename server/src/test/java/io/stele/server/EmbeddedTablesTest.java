package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.schema.TableSchema;
import io.stele.base.settings.Settings;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.metastore.KeyValue;
import io.stele.client.table.Row;
import io.stele.testkit.table.TableAdminContract;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All that tables do, in the process of their client, and what is kept from one to the next. */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class EmbeddedTablesTest extends TableAdminContract {

  private Path folder;
  private Stele stele;

  @BeforeAll
  void open(@TempDir Path directory) {
    folder = directory;
    stele = Stele.open(folder);
  }

  @AfterAll
  void close() {
    stele.close();
  }

  @Override
  protected Tables tables() {
    return stele.rows();
  }

  @Override
  protected TableAdmin admin() {
    return stele.tables();
  }

  private static Optional<Bytes> first(Stele store, String row) {
    return store.table("users").get(row).flatMap(found -> found.value("name", "first"));
  }

  @Test
  void whatWasWrittenIsThereForTheNextEmbeddedOrNot(@TempDir Path other) throws Exception {
    try (Stele first = Stele.open(other)) {
      first.tables().create("users", TableSchema.ofFamilies("name"), List.of());
      first.table("users").put("42", "name", "first", "Ada");
      first.metastore().put("/mode", "fast");
    }
    try (Stele second = Stele.open(other)) {
      assertThat(first(second, "42")).contains(Bytes.utf8("Ada"));
      assertThat(second.metastore().get("/mode").map(KeyValue::text)).contains("fast");
      second.table("users").put("43", "name", "first", "Grace");
    }
    Settings settings =
        ServerSchema.SCHEMA
            .reader()
            .flags(List.of("server.data=" + other, "server.port=0", "server.raft-port=0"))
            .merge();
    try (Server server = Server.start(settings, new Events((_, _) -> {}));
        Stele remote = Stele.connect(server.addresses().nativeAddress())) {
      assertThat(first(remote, "42")).contains(Bytes.utf8("Ada"));
      assertThat(first(remote, "43")).contains(Bytes.utf8("Grace"));
      remote.table("users").put("44", "name", "first", "Edsger");
    }
    try (Stele last = Stele.open(other)) {
      assertThat(first(last, "44")).contains(Bytes.utf8("Edsger"));
      assertThat(last.table("users").get("42").map(Row::key)).contains(Bytes.utf8("42"));
    }
  }

  @Test
  void aDirectoryHasOneThatOpenedIt() {
    assertThatThrownBy(() -> Stele.open(folder))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("in use");
  }

  @Test
  void theMetastoreIsThereWithoutANetwork() {
    stele.metastore().put("/a", "1");
    assertThat(stele.metastore().get("/a").map(KeyValue::text)).contains("1");
  }
}
