package io.stele.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.ConflictException;
import io.stele.base.event.Defect;
import io.stele.base.event.Defects;
import io.stele.base.event.Subscription;
import io.stele.gateway.http.RawHttp;
import io.stele.gateway.web.WebGuard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class AdminServerTest {
  private static final String HERE = "Host: 127.0.0.1";
  private static final String JSON = "Content-Type: application/json";

  private final List<String> changes = new CopyOnWriteArrayList<>();
  private AdminServer server;
  private RawHttp http;

  @BeforeEach
  void listen() {
    WebGuard guard =
        new WebGuard("admin", List.of("https://console"), List.of("node-1"), true, true);
    server = AdminServer.listen("127.0.0.1", 0, guard, Optional.empty());
    server.serve("/page", _ -> AdminAnswer.plain(AdminAnswer.OK, "read\n"));
    server.serve(
        "/change/",
        request -> {
          changes.add(request.method() + " " + request.path() + " " + request.body());
          return AdminAnswer.json(request.fields());
        },
        "GET",
        "PUT");
    http = new RawHttp(server.port());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RawHttp.Answer put(String path, String body, String... headers) throws IOException {
    return http.send("PUT", path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Host: 127.0.0.1          | X-Other: 1                      | 200
          Host: localhost:7838     | X-Other: 1                      | 200
          Host: [::1]:7838         | X-Other: 1                      | 200
          Host: node-1             | X-Other: 1                      | 200
          Host: evil.example       | X-Other: 1                      | 403
          Host: localhost:7838     | Origin: http://localhost:7838   | 200
          Host: localhost:7838     | Origin: https://console         | 200
          Host: localhost:7838     | Origin: http://localhost:80     | 403
          Host: localhost:7838     | Origin: http://evil.example     | 403
          Host: localhost:7838     | Origin: null                    | 403
          Host: localhost:7838     | Sec-Fetch-Site: same-origin     | 200
          Host: localhost:7838     | Sec-Fetch-Site: none            | 200
          Host: localhost:7838     | Sec-Fetch-Site: same-site       | 403
          Host: localhost:7838     | Sec-Fetch-Site: cross-site      | 403
          """)
  void pagesOfOthersAndUnknownHostsAreRefused(String host, String header, int status)
      throws IOException {
    assertThat(http.get("/page", host, header).status()).isEqualTo(status);
  }

  @Test
  void anUnknownPageIsAnsweredWithThoseThereAre() throws IOException {
    RawHttp.Answer answer = http.get("/paeg", HERE);

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text()).isEqualTo("there is no /paeg; there are /change/, /page\n");
  }

  @Test
  void aPathThatEndsInASlashServesAllBelowIt() throws IOException {
    assertThat(http.get("/change/a/b?x=1", HERE).status()).isEqualTo(200);
    assertThat(changes).containsExactly("GET /change/a/b ");
  }

  @Test
  void whatAPageDoesNotOfferIsRefused() throws IOException {
    RawHttp.Answer answer = put("/page", "{}", HERE, JSON);

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("GET");
  }

  @Test
  void changesNeedContentThatNoFormOfAPageCanSend() throws IOException {
    assertThat(put("/change/x", "{\"a\": 1}", HERE, JSON + "; charset=utf-8").status())
        .isEqualTo(200);
    assertThat(changes).containsExactly("PUT /change/x {\"a\": 1}");

    RawHttp.Answer form = put("/change/x", "a=1", HERE, "Content-Type: text/plain");
    assertThat(form.status()).isEqualTo(415);
    assertThat(form.text()).contains("must be application/json");
    assertThat(put("/change/x", "{}", HERE).status()).isEqualTo(415);
    assertThat(changes).hasSize(1);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws IOException {
    assertThat(put("/change/x", " ".repeat(70_000), HERE, JSON).status()).isEqualTo(413);
    assertThat(changes).isEmpty();
  }

  @Test
  void aBodyThatIsNoObjectIsNamed() throws IOException {
    RawHttp.Answer answer = put("/change/x", "[1]", HERE, JSON);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).isEqualTo("the body is [1]: must be a JSON object\n");
  }

  @Test
  void errorsHaveTheStatusOfTheirKindAndDefectsAreTold() throws IOException {
    server.serve(
        "/conflict",
        _ -> {
          throw new ConflictException("not now");
        });
    server.serve(
        "/defect",
        _ -> {
          throw new IllegalStateException("broken");
        });

    assertThat(http.get("/conflict", HERE).status()).isEqualTo(409);
    assertThat(http.get("/conflict", HERE).text()).isEqualTo("not now\n");
    List<Defect> defects = new CopyOnWriteArrayList<>();
    try (Subscription _ = Defects.ofProcess().listen(defects::add)) {
      RawHttp.Answer answer = http.get("/defect", HERE);
      assertThat(answer.status()).isEqualTo(500);
      Defect defect =
          defects.stream()
              .filter(each -> each.where().equals("the admin port"))
              .findFirst()
              .orElseThrow();
      assertThat(defect.cause()).isInstanceOf(IllegalStateException.class);
      assertThat(answer.text()).contains(defect.id()).doesNotContain("broken");
    }
  }

  @Test
  void theThreadDumpHasVirtualThreads() throws Exception {
    server.serve("/threads", new ThreadDump());

    String text = http.get("/threads", HERE).text();
    assertThat(text).contains("stele-admin").contains("AdminHandler").contains("virtual");
    RawHttp.Answer json = http.get("/threads?format=json", HERE);
    assertThat(json.header("Content-Type")).isEqualTo("application/json");
    assertThat(json.text()).startsWith("{").contains("threadDump");
  }

  @Test
  void aRecordingAnswersAFileOfFlightRecorder() throws IOException {
    server.serve("/jfr", new FlightRecording(), "POST");

    byte[] asked = "{\"seconds\": 1}".getBytes(StandardCharsets.UTF_8);
    RawHttp.Answer answer = http.send("POST", "/jfr", asked, HERE, JSON);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Disposition")).isEqualTo("attachment; filename=stele.jfr");
    assertThat(answer.body()).startsWith('F', 'L', 'R', 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"seconds": 0}        | seconds is 0: must be a number from 1 to 600
          {"seconds": 601}      | seconds is 601: must be a number from 1 to 600
          {"settings": "all"}   | settings is 'all': must be one of [default, profile]
          """)
  void aRecordingThatCannotBeIsRefused(String body, String message) throws IOException {
    server.serve("/jfr", new FlightRecording(), "POST");

    RawHttp.Answer answer =
        http.send("POST", "/jfr", body.getBytes(StandardCharsets.UTF_8), HERE, JSON);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).isEqualTo(message + "\n");
  }
}
