package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.settings.Settings;
import io.stele.metastore.raft.RaftEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class ServerTest {

  @TempDir Path folder;

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Events events = new Events((_, problem) -> told.add(problem.toString()));

  ServerTest() {
    events.subscribe(Event.class, event -> told.add(event.text()));
  }

  private Server start(Path data, String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("server.data=" + data, "server.port=0", "server.raft-port=0"));
    all.addAll(List.of(flags));
    Settings settings = ServerSchema.SCHEMA.reader().flags(all).merge();
    return Server.start(settings, events);
  }

  @Test
  void itsAddressesAreInAFileWhileItServes() throws Exception {
    Path file = folder.resolve("addresses.json");
    CompletableFuture<Void> ended;
    try (Server server = start(folder)) {
      assertThat(server.formed()).isTrue();
      assertThat(file)
          .content()
          .contains("\"native\": \"" + server.addresses().nativeAddress() + "\"")
          .contains("\"raft\": \"" + server.addresses().raftAddress() + "\"");
      ended = server.ended();
      assertThat(ended).isNotDone();
    }
    assertThat(ended).isCompleted();
    assertThat(file).doesNotExist();
    assertThat(told)
        .anyMatch(text -> text.startsWith("serves at 127.0.0.1:"))
        .anyMatch(text -> text.startsWith("stops, data in "))
        .noneMatch(text -> text.startsWith("stopping "));
  }

  @Test
  void oneThatIsToldToWaitBelongsToNoGroup() throws Exception {
    try (Server server = start(folder, "server.await=true", "server.name=n1")) {
      assertThat(server.formed()).isFalse();
    }
    try (Server server = start(folder, "server.name=n1")) {
      assertThat(server.formed()).as("no longer told to wait").isTrue();
    }
    assertThatThrownBy(() -> start(folder, "server.name=n2"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("member n2")
        .hasMessageContaining("that of member n1");
  }

  @Test
  void aDirectoryHasOneServerAndIsFreeAfterAStartThatFailed() throws Exception {
    try (Server _ = start(folder)) {
      assertThatThrownBy(() -> start(folder))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("is in use by this process");
    }
    assertThatThrownBy(() -> start(folder, "server.listen=192.0.2.1"))
        .isInstanceOf(InvalidRequestException.class);

    start(folder).close();
  }

  @Test
  void whatCannotBeADirectoryIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");

    assertThatThrownBy(() -> start(file))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("cannot use " + file + " as the directory of server.data");
  }

  @Test
  void rolesThatMakeNoServerTogetherAreRefused() {
    assertThatThrownBy(() -> start(folder, "server.roles=tables", "server.metastore=127.0.0.1:1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("roles are tables and tables.shared is false")
        .hasMessageContaining("set tables.shared and tables.files");
    assertThatThrownBy(() -> start(folder, "server.roles=metastore,master"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("a master leads the tablet servers of a cluster");
  }

  @Test
  void aMemberThatFailedEndsTheServer() throws Exception {
    try (Server server = start(folder)) {
      events.publish(new RaftEvent.MemberFailed("n1", "disk full"));

      assertThat(server.ended())
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withMessageContaining("disk full");
    }
  }
}
