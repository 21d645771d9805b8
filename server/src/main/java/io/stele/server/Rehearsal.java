package io.stele.server;

import io.stele.base.event.Events;
import io.stele.base.schema.TableSchema;
import io.stele.base.settings.Settings;
import io.stele.cli.ExitCode;
import io.stele.cli.Main;
import io.stele.client.Stele;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What servers do in their first moments, done once on empty directories: one alone with all roles,
 * and two that become a group; and what the usual commands do with the first of them. The launcher
 * lets the JVM keep the classes that this takes, so that every later start finds them ready.
 */
final class Rehearsal {
  private static final Duration SESSION = Duration.ofSeconds(10);

  private static final List<String> COMMANDS =
      List.of(
          "put rehearsal row f:q value",
          "get rehearsal row",
          "get rehearsal row --output json",
          "scan rehearsal",
          "scan rehearsal --output json",
          "increment rehearsal row f:n",
          "delete rehearsal row f:n",
          "table list",
          "table describe rehearsal",
          "metastore put /rehearsal value",
          "metastore get /rehearsal",
          "dataset list",
          "doctor");

  private final Path folder;

  Rehearsal(Path folder) {
    this.folder = folder;
  }

  void run() throws IOException {
    try (Server alone = start("alone");
        Stele stele = Stele.connect(address(alone))) {
      stele.tables().create("rehearsal", TableSchema.ofFamilies("f"), List.of());
      stele.table("rehearsal").put("row", "f", "q", "value");
      stele.table("rehearsal").get("row");
      COMMANDS.forEach(command -> command(alone, command));
    }
    try (Server first = start("first", "server.await=true", "server.roles=metastore");
        Server second = start("second", "server.await=true", "server.roles=metastore");
        Stele stele = Stele.connect(address(first), address(second))) {
      stele.metastore().admin().bootstrap(List.of(address(first), address(second)));
      stele.metastore().put("/rehearsal", "value");
      stele.metastore().get("/rehearsal");
      stele.metastore().openSession(SESSION).close();
    }
  }

  private Server start(String name, String... more) throws IOException {
    List<String> flags = new ArrayList<>(List.of(more));
    flags.add("server.data=" + folder.resolve(name));
    flags.add("server.port=0");
    flags.add("server.raft-port=0");
    flags.add("etcd.port=0");
    flags.add("bigtable.port=0");
    Settings settings = ServerSchema.SCHEMA.reader().flags(flags).merge();
    return Server.start(settings, new Events((_, _) -> {}));
  }

  private static void command(Server server, String command) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    String line = command + " --endpoints " + address(server);
    int exitCode = Main.run(nowhere, nowhere, line.split(" ", -1));
    if (exitCode > ExitCode.FAILURE) { // the doctor's, of a machine that it finds wanting
      throw new IllegalStateException("stele " + line + " ended with " + exitCode);
    }
  }

  private static String address(Server server) {
    return server.addresses().nativeAddress();
  }
}
