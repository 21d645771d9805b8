package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.client.Stele;
import io.stele.client.metastore.Keys;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers with datasets in this process, asked over HTTP and by the client. */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class ServedDatasetsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int KEYS = 60;
  private static final int FILES = 6;

  @TempDir Path folder;

  private final List<TestServer> servers = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    http.close();
    servers.reversed().forEach(TestServer::close);
  }

  private TestServer start(String name, String... flags) throws IOException {
    TestServer server = TestServer.start(folder.resolve(name), flags);
    servers.add(server);
    return server;
  }

  private static void write(Path root, String version) throws IOException {
    Path staged = root.resolve("scores/." + version);
    Files.createDirectories(staged);
    for (int file = 0; file < FILES; file++) {
      StringBuilder lines = new StringBuilder();
      for (int key = file; key < KEYS; key += FILES) {
        lines.append("key-").append(key).append('\t').append(version).append(':').append(key);
        lines.append('\n');
      }
      Files.writeString(staged.resolve("part-" + file + ".tsv"), lines);
    }
    Files.createFile(staged.resolve("_SUCCESS"));
    Files.move(staged, root.resolve("scores").resolve(version)); // whole, or not at all
  }

  private HttpResponse<String> get(TestServer server, String path) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create("http://" + server.datasets() + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(path, e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  private void awaitVersion(TestServer server, String version) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = get(server, "/scores/key-7");
              assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
              assertThat(header(answer, "X-Sequins-Version")).isEqualTo(version);
            });
  }

  @Test
  void serverAloneServesItsDirectoryWithNoSettings() throws Exception {
    write(folder.resolve("s/datasets"), "v1");
    TestServer server = start("s");
    awaitVersion(server, "v1");

    assertThat(get(server, "/scores/key-7").body()).isEqualTo("v1:7");
    assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
    assertThat(get(server, "/").body()).contains("Serves version <code>v1</code>");
    assertThat(Files.readString(folder.resolve("s/addresses.json")))
        .contains("\"datasets\": \"" + server.datasets() + "\"");
    write(folder.resolve("s/datasets"), "v2");
    server.server().refreshDatasets();
    awaitVersion(server, "v2");

    try (Stele stele = Stele.connect(server.address())) {
      assertThat(stele.datasets().list()).containsExactly("scores");
      assertThat(stele.datasets().get("scores", Bytes.utf8("key-3")))
          .isInstanceOfSatisfying(
              Lookup.Found.class,
              found -> {
                assertThat(found.value().toUtf8()).isEqualTo("v2:3");
                assertThat(found.origin().version()).isEqualTo("v2");
                assertThat(found.origin().proxied()).isFalse();
              });
      assertThat(stele.datasets().mget("scores", List.of(Bytes.utf8("none"), Bytes.utf8("key-1"))))
          .satisfiesExactly(
              missing -> assertThat(missing).isInstanceOf(Lookup.Missing.class),
              found -> assertThat(found).isInstanceOf(Lookup.Found.class));
      assertThatThrownBy(() -> stele.datasets().get("other", Bytes.utf8("k")))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("there is no dataset \"other\"");

      assertThat(stele.datasets().rollback("scores")).isEqualTo("v1");
      awaitVersion(server, "v1");
      assertThat(stele.datasets().pinned("scores")).contains("v1");
      stele.datasets().unpin("scores");
      awaitVersion(server, "v2");
      assertThat(stele.datasets().status("scores").pinned()).isEmpty();
    }
  }

  @Test
  void datasetIsATableThatCanOnlyBeRead() throws Exception {
    write(folder.resolve("s/datasets"), "v1");
    TestServer server = start("s");
    awaitVersion(server, "v1");
    try (Stele stele = Stele.connect(server.address())) {
      Row row = stele.table("scores").get("key-7").orElseThrow();
      assertThat(row.cells())
          .singleElement()
          .satisfies(
              cell -> {
                assertThat(cell.family().toUtf8()).isEqualTo("value");
                assertThat(cell.qualifier()).isEqualTo(Bytes.EMPTY);
                assertThat(cell.value().toUtf8()).isEqualTo("v1:7");
              });
      assertThat(stele.table("scores").get("none")).isEmpty();
      ReadPredicate two =
          ReadPredicate.rows(RowRange.row(Bytes.utf8("key-1")), RowRange.row(Bytes.utf8("key-2")));
      try (RowScan scan = stele.table("scores").scan(two)) {
        assertThat(scan.next().orElseThrow().key().toUtf8()).isEqualTo("key-1");
        assertThat(scan.next().orElseThrow().key().toUtf8()).isEqualTo("key-2");
        assertThat(scan.next()).isEmpty();
      }

      assertThatThrownBy(() -> stele.table("scores").put("key-7", "value", "", "x"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("scores is a dataset, which can only be read");
      assertThatThrownBy(
              () ->
                  stele
                      .table("scores")
                      .mutateAll(List.of(RowMutation.of("k").put("value", "", "x"))))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("can only be read");
      assertThatThrownBy(() -> stele.table("scores").truncate())
          .isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(
              () -> {
                try (RowScan scan = stele.table("scores").scan(ReadPredicate.ALL)) {
                  scan.next();
                }
              })
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("whose keys have no order");
      assertThatThrownBy(() -> stele.table("neither").get("k"))
          .isInstanceOf(NotFoundException.class);

      stele.tables().create("scores", TableSchema.ofFamilies("f"), List.of());
      stele.table("scores").put("key-7", "f", "q", "of the table");
      assertThat(stele.table("scores").get("key-7").orElseThrow().cells().getFirst().value())
          .as("a table comes first")
          .isEqualTo(Bytes.utf8("of the table"));
    }
  }

  @Test
  void storeInThisProcessHasDatasetsAndListensNowhere() throws Exception {
    write(folder.resolve("s/datasets"), "v1");
    try (Stele stele = Stele.open(folder.resolve("s"))) {
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  stele.datasets().status().stream()
                      .anyMatch(status -> status.serving().equals("v1")));
      assertThat(stele.table("scores").get("key-5")).isPresent();
    }
  }

  @Test
  void datasetsAloneNeedNoMetastore() throws Exception {
    write(folder.resolve("source"), "v1");
    TestServer server =
        start("s", "server.roles=datasets", "datasets.source=" + folder.resolve("source"));
    awaitVersion(server, "v1");

    assertThatThrownBy(
            () ->
                start(
                    "t",
                    "server.roles=datasets",
                    "datasets.cluster=c",
                    "datasets.source=" + folder.resolve("source")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("server.metastore must name the servers that have it");
  }

  @Test
  void nodesOfAClusterShareShardsAndAnswerForAll() throws Exception {
    Path source = Files.createDirectories(folder.resolve("source"));
    String[] shared = {
      "datasets.cluster=c",
      "datasets.source=" + source,
      "datasets.replication=1",
      "datasets.time-to-converge=2s",
      "datasets.session=2s",
      "datasets.proxy-timeout=20s",
      "datasets.content-type=text/plain"
    };
    TestServer first = start("a", with(shared, "server.roles=metastore,datasets"));
    for (String name : List.of("b", "c")) {
      start(name, with(shared, "server.roles=datasets", "server.metastore=" + first.address()));
    }
    // Before, the first might take all shards, if the others take long to start.
    awaitNodes(first, 3);
    write(source, "v1");
    servers.forEach(server -> server.server().refreshDatasets());
    servers.forEach(server -> awaitVersion(server, "v1"));

    Set<String> asked = new HashSet<>();
    for (TestServer server : servers) {
      for (int key = 0; key < KEYS; key++) {
        HttpResponse<String> answer = get(server, "/scores/key-" + key);
        assertThat(answer.body()).isEqualTo("v1:" + key);
        assertThat(header(answer, "Content-Type")).isEqualTo("text/plain");
        asked.add(header(answer, "X-Sequins-Proxied-To"));
      }
    }
    assertThat(asked)
        .as("each has some of the shards, and asks the others for theirs")
        .containsExactlyInAnyOrder(
            "", servers.get(0).datasets(), servers.get(1).datasets(), servers.get(2).datasets());
    try (Stele stele = Stele.connect(servers.get(2).address())) {
      DatasetStatus status = stele.datasets().status("scores");
      assertThat(status.versions().getFirst().nodes()).hasSize(3);
      assertThat(status.versions().getFirst().averageReplication()).isEqualTo(1);
      assertThat(
              stele
                  .datasets()
                  .mget(
                      "scores",
                      List.of(Bytes.utf8("key-0"), Bytes.utf8("key-1"), Bytes.utf8("key-2"))))
          .allMatch(lookup -> lookup instanceof Lookup.Found);

      write(source, "v2");
      servers.forEach(server -> server.server().refreshDatasets());
      servers.forEach(server -> awaitVersion(server, "v2"));
      stele.datasets().pin("scores", "v1");
      servers.forEach(server -> awaitVersion(server, "v1"));
    }
  }

  private static void awaitNodes(TestServer server, int count) {
    try (Stele stele = Stele.connect(server.address())) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> stele.metastore().count(Keys.prefix("/stele/datasets/c/v1/nodes/")) == count);
    }
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }
}
