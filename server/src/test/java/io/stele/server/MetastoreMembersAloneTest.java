package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.event.Events;
import io.stele.base.schema.TableSchema;
import io.stele.client.Stele;
import io.stele.client.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that was given members of the metastore alone, which have no tables. */
@Timeout(120)
class MetastoreMembersAloneTest {
  @TempDir Path folder;

  private final List<Server> servers = new ArrayList<>();

  private String start(String name, String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.data=" + folder.resolve(name),
                "server.port=0",
                "server.raft-port=0",
                "tables.shared=true",
                "tables.files=" + folder.resolve("files"),
                "tables.cache=4MiB",
                "tables.memory=32MiB"));
    all.addAll(List.of(flags));
    Server server =
        Server.start(
            ServerSchema.SCHEMA.reader().flags(all).merge(), new Events((event, problem) -> {}));
    servers.add(server);
    return server.addresses().nativeAddress();
  }

  @AfterEach
  void stop() {
    servers.reversed().forEach(Server::close);
  }

  @Test
  void findsTheTables() throws IOException {
    String metastore = start("m", "server.roles=metastore");
    start("t", "server.roles=tables,master", "server.metastore=" + metastore);
    try (Stele stele = Stele.connect(metastore)) {
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(
              () -> {
                stele.tables().create("t", TableSchema.ofFamilies("f"), List.of());
                return true;
              });
      Table table = stele.table("t");
      table.put("row", "f", "q", "value");
      assertThat(table.get("row").orElseThrow().value("f", "q")).contains(Bytes.utf8("value"));
      stele.metastore().put("/a", "1");
      assertThat(stele.metastore().get("/a")).as("both by the same client").isPresent();
    }
  }
}
