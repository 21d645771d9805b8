package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberTest {
  @TempDir private Path temp;

  private Member member(String script) {
    return new Member(
        "the member", "127.0.0.1:1", List.of("/bin/sh", "-c", script), temp.resolve("log"));
  }

  @Test
  void oneThatEndsByItselfIsQuoted() throws Exception {
    try (Member member = member("echo starting; echo no such port >&2; exit 3")) {
      member.start();
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !member.handle().isAlive());
      assertThatThrownBy(member::checkAlive)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the member ended with exit code 3")
          .hasMessageContaining("starting")
          .hasMessageContaining("no such port");
    }
  }

  @Test
  void itsMemoryIsCountedAndStoppingEndsIt() throws Exception {
    Member member = member("exec sleep 600");
    member.start();
    ProcessHandle process = member.handle();
    member.checkAlive();
    ResidentMemory memory = ResidentMemory.of(List.of(process, ProcessHandle.current()));
    assertThat(memory.bytes()).isGreaterThan(10 << 20);
    assertThat(memory.anonymousBytes()).isPositive().isLessThanOrEqualTo(memory.bytes());
    member.stop();
    assertThat(process.isAlive()).isFalse();
    assertThatThrownBy(member::handle).hasMessage("the member was not started");
    member.start();
    assertThat(member.handle().isAlive()).as("started again").isTrue();
    member.close();
  }

  @Test
  void memoryIsReadFromTheKernelsLines() {
    ResidentMemory memory =
        ResidentMemory.parse(
            List.of(
                "Name:\tetcd",
                "VmHWM:\t  999999 kB",
                "VmRSS:\t   53312 kB",
                "RssAnon:\t   31056 kB",
                "RssFile:\t   22256 kB"));
    assertThat(memory).isEqualTo(new ResidentMemory(53_312L << 10, 31_056L << 10));
    assertThatThrownBy(() -> ResidentMemory.parse(List.of("Name:\tetcd", "State:\tZ (zombie)")))
        .hasMessageContaining("VmRSS");
  }
}
