package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RehearsalTest {
  @Test
  void itRunsToItsEndAndLeavesAServerAndAGroup(@TempDir Path folder) throws Exception {
    new Rehearsal(folder).run();
    assertThat(folder.resolve("alone/tables")).isNotEmptyDirectory();
    assertThat(folder.resolve("first/metastore")).isNotEmptyDirectory();
    assertThat(folder.resolve("second/metastore")).isNotEmptyDirectory();
  }
}
