package io.stele.metastore.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MembershipTest {
  private static final Member SELF = new Member("m1", "host1:7201", "host1:7200");
  private static final Member OTHER = new Member("m2", "host2:7201", "host2:7200");

  private final MemoryFileStore files = new MemoryFileStore();

  private String content() throws IOException {
    try (ReadableFile file = files.open(Membership.FILE)) {
      byte[] bytes = new byte[(int) file.length()];
      file.read(0, bytes, 0, bytes.length);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  @Test
  void whatIsSavedIsLoaded() throws IOException {
    assertThat(Membership.load(files)).isEmpty();
    for (Membership membership :
        List.of(
            new Membership.Unformed("m1"),
            new Membership.Solo("m1", "g"),
            new Membership.Raft("g", SELF, List.of(), false),
            new Membership.Raft("g", SELF, List.of(SELF, OTHER), true),
            new Membership.Raft("g", SELF, List.of(SELF, OTHER), false))) {
      membership.save(files);
      assertThat(Membership.load(files)).contains(membership);
    }
  }

  /** The file as version 1 wrote it, to be read for ever. */
  @Test
  void theFileIsAsItIsDrawn() throws IOException {
    Membership raft = new Membership.Raft("g", SELF, List.of(SELF, OTHER), false);
    raft.save(files);
    assertThat(content())
        .isEqualTo(
            """
            stele-member 1
            id m1
            kind raft
            group g
            self m1 host1:7201 host1:7200
            first m1 host1:7201 host1:7200
            first m2 host2:7201 host2:7200
            crc 009244c3
            """);
  }

  @Test
  void aDamagedFileIsFound() throws IOException {
    new Membership.Raft("g", SELF, List.of(SELF), true).save(files);
    byte[] good = content().getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      files.replace(Membership.FILE, bad);
      assertThatThrownBy(() -> Membership.load(files))
          .as("byte %d", i)
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("member");
    }
    files.replace(Membership.FILE, new byte[0]);
    assertThatThrownBy(() -> Membership.load(files)).isInstanceOf(CorruptDataException.class);
  }

  @Test
  void settingsOutOfRangeAreRefusedByName() {
    assertThat(RaftSettings.DEFAULT.electionMin()).isEqualTo(Duration.ofSeconds(1));
    assertThat(RaftSettings.DEFAULT.flushEntries()).isEqualTo(100_000);
    assertThat(SoloSettings.DEFAULT.log().bytes()).isEqualTo(64 << 20);
    assertThatThrownBy(
            () -> RaftSettings.DEFAULT.withElection(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("PT2S");
    assertThatThrownBy(() -> RaftSettings.DEFAULT.withRequest(Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> RaftSettings.DEFAULT.withLog(RaftSettings.DEFAULT.segment(), 0, 0))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("flush after 0");
  }
}
