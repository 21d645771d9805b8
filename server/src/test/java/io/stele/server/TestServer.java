package io.stele.server;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server for tests of packages other than its own. */
public final class TestServer implements AutoCloseable {
  private final Server server;
  private final List<String> told;

  private TestServer(Server server, List<String> told) {
    this.server = server;
    this.told = told;
  }

  /** Starts one on free ports, as far as the settings do not say others. */
  public static TestServer start(Path data, String... flags) throws IOException {
    List<String> told = new CopyOnWriteArrayList<>();
    Events events = new Events((_, problem) -> told.add(problem.toString()));
    events.subscribe(Event.class, event -> told.add(event.text()));
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.data=" + data,
                "server.port=0",
                "server.raft-port=0",
                "tables.cache=4MiB",
                "tables.memory=32MiB"));
    all.addAll(List.of(flags));
    return new TestServer(
        Server.start(ServerSchema.SCHEMA.reader().flags(all).merge(), events), told);
  }

  public String address() {
    return server.addresses().nativeAddress();
  }

  /** Of datasets over HTTP. */
  public String datasets() {
    return server.addresses().datasetsAddress();
  }

  Server server() {
    return server;
  }

  /** What happened so far. */
  public List<String> told() {
    return told;
  }

  @Override
  public void close() {
    server.close();
  }
}
