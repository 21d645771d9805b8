package io.stele.gateway.admin;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code GET /threads[?format=json]}: the stacks of all threads, virtual ones included. */
public final class ThreadDump implements AdminPage {
  @Override
  public AdminAnswer answer(AdminRequest request) throws IOException {
    boolean json = request.wantsJson();
    Path folder = Files.createTempDirectory("stele-threads");
    Path file = folder.resolve("threads"); // the JVM writes to none that exists
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(file.toString(), json ? ThreadDumpFormat.JSON : ThreadDumpFormat.TEXT_PLAIN);
      return json
          ? new AdminAnswer.Text(AdminAnswer.OK, "application/json", Files.readString(file))
          : AdminAnswer.plain(AdminAnswer.OK, Files.readString(file));
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }
}
