package io.stele.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.UnavailableException;
import io.stele.base.text.JsonReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetServerTest {
  private final FakeDatasets datasets = new FakeDatasets();
  private DatasetServer server;
  private RawHttp http;

  @BeforeEach
  void listen() {
    server = DatasetServer.listen("127.0.0.1", 0, "application/x-score", Optional.empty());
    server.serve(datasets);
    http = new RawHttp(server.port());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void put(String key, String value) {
    datasets.put(Bytes.utf8(key), Bytes.utf8(value));
  }

  // ---- one key

  @Test
  void valueComesWithItsVersionLengthTimeAndTheTypeOfTheSettings() throws IOException {
    put("alice", "12");

    RawHttp.Answer answer = http.get("/scores/alice");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("12");
    assertThat(answer.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(answer.header("Content-Length")).isEqualTo("2");
    assertThat(answer.header("Last-Modified")).isEqualTo("Fri, 07 Nov 2025 07:20:00 GMT");
    assertThat(answer.header("Content-Type")).isEqualTo("application/x-score");
    assertThat(answer.header("X-Sequins-Proxied-To")).isNull();
    assertThat(datasets.gets).as("what is here needs no other thread").isEmpty();
  }

  @Test
  void valueOfAnotherNodeSaysWhichOne() throws IOException {
    datasets.elsewhere.put(
        Bytes.utf8("bob"), new Lookup.Found(Bytes.utf8("7"), FakeDatasets.origin("node-2:9599")));

    RawHttp.Answer answer = http.get("/scores/bob");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("7");
    assertThat(answer.header("X-Sequins-Proxied-To")).isEqualTo("node-2:9599");
    assertThat(answer.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(datasets.gets).hasSize(1);
  }

  @Test
  void missingKeyIs404WithItsVersion() throws IOException {
    RawHttp.Answer answer = http.get("/scores/nobody");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(answer.header("Content-Length")).isEqualTo("0");
  }

  @Test
  void missingDatasetIs404WithoutVersion() throws IOException {
    RawHttp.Answer answer = http.get("/other/key");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.header("X-Sequins-Version")).isNull();
    assertThat(answer.text()).contains("no dataset other");
  }

  @ParameterizedTest
  @CsvSource({"NO_PEER, 502", "TIMED_OUT, 504", "LOCAL, 500"})
  void failuresHaveTheirCodes(Lookup.Failure failure, int status) throws IOException {
    datasets.elsewhere.put(Bytes.utf8("eve"), new Lookup.Failed("v1", failure, "shard 3: why"));

    RawHttp.Answer answer = http.get("/scores/eve");

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.text()).isEqualTo("shard 3: why\n");
    assertThat(answer.header("X-Sequins-Proxied-To")).isNull();
  }

  @Test
  void headIsAGetWithoutTheBody() throws IOException {
    put("alice", "12");

    RawHttp.Answer answer = http.send("HEAD", "/scores/alice", new byte[0]);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Length")).isEqualTo("2");
    assertThat(answer.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(answer.body()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /scores/alice", "PUT, /scores/alice", "DELETE, /scores/alice", "OPTIONS, /scores",
    "POST, /", "PUT, /scores", "DELETE, /healthz", "PATCH, /scores/alice"
  })
  void otherMethodsAre400(String method, String path) throws IOException {
    put("alice", "12");

    RawHttp.Answer answer = http.send(method, path, new byte[0]);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains(method);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/scores/a/b/c a/b/c",
        "/scores/a%2Fb a/b",
        "/scores//a /a",
        "/scores/a//b a//b",
        "/scores/a/ a/",
        "/scores/../x ../x",
        "/scores/a/../b a/../b",
        "/scores/. .",
        "/scores/%2e%2e ..",
        "/scores/a;b=c a;b=c",
        "/scores/a+b a+b",
        "/scores/a%20b 'a b'",
        "/scores/100%25 100%",
        "/scores/a%3Fb%23c a?b#c",
        "/scores/a:b@c,d a:b@c,d",
        "/scores/%C3%BC ü",
        "/scores/ü ü",
        "/scores/ü%2F%C3%BC ü/ü",
        "/scores/\"{}|^`\\ \"{}|^`\\",
        "/sc%6Fres/k k"
      })
  void keysAreAllThatFollowsTheDataset(String path, String key) throws IOException {
    put(key, "found");

    RawHttp.Answer answer = http.get(path);

    assertThat(answer.text()).isEqualTo("found");
    assertThat(answer.status()).isEqualTo(200);
  }

  @Test
  void keysAreBytes() throws IOException {
    datasets.put(Bytes.of((byte) 0xff, (byte) 0, (byte) 0x80), Bytes.of((byte) 0, (byte) 0xfe));

    RawHttp.Answer answer = http.get("/scores/%ff%00%80");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).containsExactly(0, 0xfe);
  }

  @Test
  void bytesThatShouldHaveBeenEscapedAreNotGuessed() throws IOException {
    assertThat(http.get("/scores/\uFFFD").status()).isEqualTo(400);
  }

  @Test
  void longKeysAndValuesPass() throws IOException {
    String key = "k".repeat(30_000);
    String value = "v".repeat(1 << 20);
    put(key, value);
    put("empty", "");

    assertThat(http.get("/scores/" + key).text()).isEqualTo(value);
    RawHttp.Answer empty = http.get("/scores/empty");
    assertThat(empty.status()).isEqualTo(200);
    assertThat(empty.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/scores/%", "/scores/%2", "/scores/%zz", "/scores/a%-1", "//key"})
  void pathsThatMeanNothingAre400(String path) throws IOException {
    assertThat(http.get(path).status()).isEqualTo(400);
  }

  // ---- the disk

  @Test
  void whatIsNotInMemoryIsReadByAThreadThatMayWaitForTheDisk() throws IOException {
    put("cold", "12");
    datasets.onDisk.put(Bytes.utf8("cold"), () -> {});

    assertThat(http.get("/scores/cold").text()).isEqualTo("12");
    assertThat(http.get("/scores/cold?proxy=v1").text()).isEqualTo("12");
    assertThat(datasets.gets)
        .hasSize(2)
        .allMatch(thread -> !thread.isVirtual() && thread.getName().startsWith("stele-http-disk"));
  }

  @Test
  void lookupsThatWaitForTheDiskDelayNoOthers() throws Exception {
    put("cold", "12");
    put("hot", "7");
    datasets.elsewhere.put(
        Bytes.utf8("far"), new Lookup.Found(Bytes.utf8("9"), FakeDatasets.origin("x")));
    CountDownLatch disk = new CountDownLatch(1);
    int lookups = 6;
    CountDownLatch reading = new CountDownLatch(lookups);
    datasets.onDisk.put(
        Bytes.utf8("cold"),
        () -> {
          reading.countDown();
          try {
            assertThat(disk.await(30, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    List<CompletableFuture<String>> waiting = new ArrayList<>();
    for (int i = 0; i < lookups; i++) {
      String path = i % 2 == 0 ? "/scores/cold" : "/scores/cold?proxy=v1";
      CompletableFuture<String> text = new CompletableFuture<>();
      waiting.add(text);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  text.complete(http.get(path).text());
                } catch (IOException e) {
                  text.completeExceptionally(e);
                }
              });
    }
    try {
      assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();

      assertThat(http.get("/scores/hot").text()).isEqualTo("7");
      assertThat(http.get("/scores/hot?proxy=v1").text()).isEqualTo("7");
      assertThat(http.get("/scores/far").text()).isEqualTo("9");
    } finally {
      disk.countDown();
    }
    for (CompletableFuture<String> text : waiting) {
      assertThat(text.get(10, TimeUnit.SECONDS)).isEqualTo("12");
    }
  }

  // ---- for other nodes

  @Test
  void peersGetWhatIsHereFromTheVersionTheyAskFor() throws IOException {
    put("alice", "12");
    datasets.elsewhere.put(Bytes.utf8("bob"), new Lookup.Missing(FakeDatasets.origin("x")));

    RawHttp.Answer found = http.get("/scores/alice?proxy=v1");
    RawHttp.Answer missing = http.get("/scores/nobody?proxy=v1");
    RawHttp.Answer elsewhere = http.get("/scores/bob?proxy=v1");
    RawHttp.Answer version = http.get("/scores/alice?proxy=v9");
    RawHttp.Answer dataset = http.get("/other/alice?proxy=v1");

    assertThat(found.status()).isEqualTo(200);
    assertThat(found.text()).isEqualTo("12");
    assertThat(found.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(elsewhere.status()).isEqualTo(501);
    assertThat(version.status()).isEqualTo(501);
    assertThat(version.header("X-Sequins-Version")).isNull();
    assertThat(dataset.status()).isEqualTo(501);
    assertThat(datasets.gets).as("never proxied again").isEmpty();
  }

  // ---- many keys

  @Test
  void manyKeysAsJson() throws IOException {
    put("alice", "12");
    datasets.put(Bytes.of((byte) 0xff, (byte) 0), Bytes.of((byte) 0xfe));
    datasets.elsewhere.put(
        Bytes.utf8("eve"), new Lookup.Failed("v1", Lookup.Failure.TIMED_OUT, "slow"));

    RawHttp.Answer answer =
        http.send(
            "POST",
            "/scores",
            "[\"alice\", \"nobody\", {\"base64\": \"/wA=\"}, \"eve\"]"
                .getBytes(StandardCharsets.UTF_8),
            "Content-Type: application/json");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("X-Sequins-Version")).isEqualTo("v1");
    assertThat(answer.text())
        .isEqualTo(
            "{\"version\": \"v1\", \"values\": ["
                + "{\"key\": \"alice\", \"status\": 200, \"value\": \"12\"}, "
                + "{\"key\": \"nobody\", \"status\": 404}, "
                + "{\"key_base64\": \"/wA=\", \"status\": 200, \"value_base64\": \"/g==\"}, "
                + "{\"key\": \"eve\", \"status\": 504, \"error\": \"slow\"}]}\n");
  }

  @Test
  void manyKeysAsLines() throws IOException {
    put("a b", "1");
    put("c", "2");

    RawHttp.Answer answer =
        http.send(
            "POST",
            "/scores",
            "a b\nc\n".getBytes(StandardCharsets.UTF_8),
            "Content-Type: text/plain");

    assertThat(answer.text())
        .contains("\"key\": \"a b\", \"status\": 200, \"value\": \"1\"")
        .contains("\"key\": \"c\", \"status\": 200, \"value\": \"2\"")
        .doesNotContain("404");
  }

  @Test
  void manyKeysAsBytes() throws IOException {
    put("alice", "12");
    datasets.put(Bytes.EMPTY, Bytes.utf8("of the empty key"));

    RawHttp.Answer answer =
        http.send(
            "POST",
            "/scores",
            MultiGet.toBinary(List.of(Bytes.utf8("alice"), Bytes.EMPTY, Bytes.utf8("x"))),
            "Content-Type: application/octet-stream");

    assertThat(MultiGet.entries(answer.body()))
        .containsExactly(
            new MultiGet.Entry(200, Bytes.utf8("12")),
            new MultiGet.Entry(200, Bytes.utf8("of the empty key")),
            new MultiGet.Entry(404, Bytes.EMPTY));
  }

  @Test
  void noKeysHaveNoAnswers() throws IOException {
    RawHttp.Answer answer = http.send("POST", "/scores", "[]".getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"version\": \"\", \"values\": []}\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[1]", "[\"a\"", "[{\"base64\": \"*\"}]"})
  void keysThatAreNoneAre400(String body) throws IOException {
    RawHttp.Answer answer =
        http.send(
            "POST",
            "/scores",
            body.getBytes(StandardCharsets.UTF_8),
            "Content-Type: application/json");

    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void tornBinaryKeysAre400() throws IOException {
    byte[] torn = ByteBuffer.allocate(6).putInt(3).put((byte) 'a').put((byte) 'b').array();

    RawHttp.Answer answer =
        http.send("POST", "/scores", torn, "Content-Type: application/octet-stream");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("byte 0 of 6");
  }

  @Test
  void tooManyKeysAre400() throws IOException {
    byte[] lines = "k\n".repeat(MultiGet.MOST_KEYS + 1).getBytes(StandardCharsets.UTF_8);

    RawHttp.Answer answer = http.send("POST", "/scores", lines, "Content-Type: text/plain");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("10001 keys").contains("at most 10000");
  }

  @Test
  void manyKeysOfNoDatasetAre404() throws IOException {
    assertThat(http.send("POST", "/other", "[\"a\"]".getBytes(StandardCharsets.UTF_8)).status())
        .isEqualTo(404);
  }

  // ---- status and health

  @Test
  void statusIsJsonForWhoeverWantsThat() throws IOException {
    RawHttp.Answer all = http.get("/", "Accept: application/json");
    RawHttp.Answer one = http.get("/scores", "Accept: application/json");
    RawHttp.Answer slash = http.get("/scores/", "Accept: application/json");

    assertThat(all.status()).isEqualTo(200);
    assertThat(all.header("Content-Type")).isEqualTo("application/json");
    Map<?, ?> dbs = (Map<?, ?>) ((Map<?, ?>) JsonReader.read(all.text())).get("dbs");
    assertThat(JsonReader.read(one.text()).toString()).isEqualTo(dbs.get("scores").toString());
    assertThat(slash.text()).isEqualTo(one.text());
    Map<?, ?> version =
        (Map<?, ?>) ((Map<?, ?>) ((Map<?, ?>) dbs.get("scores")).get("versions")).get("v1");
    assertThat(version.get("path")).isEqualTo("/in/scores/v1");
    assertThat(version).hasToString(version.toString());
    assertThat(version.get("num_partitions")).hasToString("5");
    assertThat(version.get("target_replication")).hasToString("2");
    assertThat(version.get("average_replication")).hasToString("1.2");
    assertThat(version.get("replication_histogram")).hasToString("{0=1, 1=2, 2=2}");
    assertThat(version.get("missing_partitions")).hasToString("1");
    assertThat(version.get("underreplicated_partitions")).hasToString("3");
    assertThat(version.get("overreplicated_partitions")).hasToString("0");
    Map<?, ?> node = (Map<?, ?>) ((Map<?, ?>) version.get("nodes")).get("node-2:9599");
    assertThat(node.get("state")).isEqualTo("ACTIVE");
    assertThat(node.get("current")).isEqualTo(true);
    assertThat(node.get("partitions")).hasToString("[0, 1, 2]");
    assertThat(node.get("shard_id")).isEqualTo("node-2:9599");
    assertThat(node.get("created_at")).isEqualTo("2025-11-07T07:20:00.123456Z");
    assertThat(node.get("active_at")).isEqualTo("2025-11-07T07:20:05.123456Z");
  }

  @Test
  void statusOfThisNodeAloneIsForOthersToMerge() throws IOException {
    RawHttp.Answer own = http.get("/?proxy=status");

    assertThat(StatusJson.read(own.text())).isEqualTo(datasets.ownStatus());
    assertThat(http.get("/scores?proxy=status").text())
        .contains("node-1:9599")
        .doesNotContain("node-2:9599");
  }

  @Test
  void statusIsAPageOtherwise() throws IOException {
    RawHttp.Answer all = http.get("/", "Accept: text/html,*/*");
    RawHttp.Answer one = http.get("/scores");

    assertThat(all.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
    assertThat(all.text())
        .startsWith("<!DOCTYPE html>")
        .contains("<a href=\"/scores\">scores</a>")
        .contains("Serves version <code>v1</code>")
        .contains("5 shards, 1.20 of 2 nodes each (2×: 2, 1×: 2, 0×: 1)")
        .contains("1 missing")
        .contains("0-1, 3")
        .contains("part-1 &lt;ends&gt; early")
        .doesNotContain("<script")
        .doesNotContain("http://");
    assertThat(one.text()).contains("<h2>scores</h2>").contains("1 of 3 shards, 25 % read");
    assertThat(http.get("/other").status()).isEqualTo(404);
  }

  @Test
  void healthyWhenAnythingIsServed() throws IOException {
    datasets.more.add(new DatasetStatus("new", "", "", List.of(), ""));

    RawHttp.Answer healthy = http.get("/healthz");
    RawHttp.Answer all = http.get("/healthz?all=true");
    datasets.nothingServed = true;
    RawHttp.Answer not = http.get("/healthz");

    assertThat(healthy.status()).isEqualTo(200);
    assertThat(healthy.header("X-Sequins-Shard-ID")).isEqualTo("node-1:9599");
    assertThat(healthy.text()).contains("\"new\": \"it has no version\"");
    assertThat(all.status()).as("one dataset is not served").isEqualTo(503);
    assertThat(not.status()).isEqualTo(404);
    assertThat(not.text()).contains("\"healthy\": false");
  }

  @Test
  void allIsWellWhenEveryDatasetHasAVersionThatIsServed() throws IOException {
    datasets.more.add(new DatasetStatus("bad name", "", "", List.of(), "a name with a space"));

    RawHttp.Answer healthy = http.get("/healthz?all=true");
    datasets.nothingServed = true;
    RawHttp.Answer not = http.get("/healthz?all=true");

    assertThat(healthy.status()).isEqualTo(200);
    assertThat(not.status()).isEqualTo(503);
    assertThat(not.text())
        .contains("\"scores\": \"version v2 is ERROR: part-1 <ends> early\"")
        .contains("\"healthy\": false");
  }

  @Test
  void nodeThatHasNotLookedYetIsNotHealthy() throws IOException {
    datasets.empty = true;

    assertThat(http.get("/healthz").status()).isEqualTo(404);
    assertThat(http.get("/healthz?all=true").status()).isEqualTo(503);
  }

  @Test
  void answers503UntilItHasSomethingToServe() throws IOException {
    server.serveNothing();

    assertThat(http.get("/scores/alice").status()).isEqualTo(503);
    assertThat(http.get("/healthz").status()).isEqualTo(503);
  }

  @Test
  void portInUseIsAClearError() {
    int port = server.port();

    assertThatThrownBy(
            () -> DatasetServer.listen("127.0.0.1", port, "text/plain", Optional.empty()))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + port);
  }

  @Test
  void connectionIsKept() throws Exception {
    put("alice", "12");
    try (java.net.Socket socket = new java.net.Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      byte[] request =
          "GET /scores/alice HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < 3; i++) {
        socket.getOutputStream().write(request);
        StringBuilder answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\n12")) {
          int read = socket.getInputStream().read();
          assertThat(read).isNotNegative();
          answer.append((char) read);
        }
        assertThat(answer.toString()).startsWith("HTTP/1.1 200");
      }
    }
  }
}
