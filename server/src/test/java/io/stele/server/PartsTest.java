package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartsTest {

  private final List<String> stopped = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final Events events = new Events((_, problem) -> told.add(problem.toString()));
  private final Parts parts = new Parts(events);

  PartsTest() {
    events.subscribe(Event.class, event -> told.add(event.text()));
  }

  private AutoCloseable part(String name) {
    return () -> stopped.add(name);
  }

  @Test
  void whatWasStartedLastIsStoppedFirstAndOnce() {
    parts.add("files", part("files"));
    parts.add("log", part("log"));
    parts.add("gateway", part("gateway"));

    parts.close();
    parts.close();

    assertThat(stopped).containsExactly("gateway", "log", "files");
    assertThat(told).isEmpty();
  }

  @Test
  void whatFailsToStopIsToldAndTheRestIsStopped() {
    parts.add("files", part("files"));
    parts.add(
        "log",
        () -> {
          throw new IOException("disk full");
        });

    parts.close();

    assertThat(stopped).containsExactly("files");
    assertThat(told).containsExactly("stopping log failed: java.io.IOException: disk full");
  }
}
