package io.stele.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.NotServingException;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReadinessTest {
  private final Readiness readiness = new Readiness();

  private AdminAnswer.Text page(Map<String, List<String>> query) {
    return (AdminAnswer.Text) readiness.page(new AdminRequest("GET", "/readyz", query, "", ""));
  }

  @Test
  void aNodeIsReadyFromItsStartToItsEnd() {
    assertThat(page(Map.of()))
        .isEqualTo(AdminAnswer.plain(503, "[-] start: the server is starting\nnot ready\n"));

    readiness.started();
    assertThat(page(Map.of())).isEqualTo(AdminAnswer.plain(200, "ok\n"));
    assertThat(readiness.isReady()).isTrue();

    readiness.stopping();
    assertThat(page(Map.of()).text()).contains("the server is stopping");
    assertThat(readiness.isReady()).isFalse();
  }

  @Test
  void eachPartSaysWhyItCannotBeSentRequests() {
    readiness.started();
    readiness.add("metastore", Optional::empty);
    readiness.add("tables", () -> Optional.of("no session"));
    readiness.add(
        "datasets",
        () -> {
          throw new NotServingException("not yet");
        });

    assertThat(page(Map.of()).text())
        .isEqualTo("[-] tables: no session\n[-] datasets: not yet\nnot ready\n");
    assertThat(page(Map.of("verbose", List.of(""))).text())
        .isEqualTo(
            """
            [+] start: ok
            [+] metastore: ok
            [-] tables: no session
            [-] datasets: not yet
            not ready
            """);
  }

  @Test
  void checksCanBeLeftOut() {
    readiness.started();
    readiness.add("tables", () -> Optional.of("no session"));

    AdminAnswer.Text page =
        page(Map.of("exclude", List.of("tables", "other"), "verbose", List.of("")));

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).isEqualTo("[+] start: ok\n[+] tables: excluded\nok\n");
  }
}
