package io.stele.metastore.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The files of a member in version 1: its membership, and its log if it is alone. */
class MemberFilesVersion1Test {
  private static final Member SELF = new Member("m1", "host1:7201", "host1:7200");
  private static final Member OTHER = new Member("m2", "[::1]:7201", "[::1]:7200");
  private static final FilePath LOG = FilePath.of("log/0000000001.log");

  private final MemoryFileStore files = new MemoryFileStore();

  private void check(String name, Membership membership) throws IOException {
    membership.save(files);
    byte[] stored = FormatFile.read(name, StoredBytes.read(files, Membership.FILE));
    files.replace(Membership.FILE, stored);
    assertThat(Membership.load(files)).contains(membership);
  }

  @Test
  void aMembershipOfEachKind() throws IOException {
    check("member-unformed-v1.txt", new Membership.Unformed("m1"));
    check("member-solo-v1.txt", new Membership.Solo("m1", "group"));
    check("member-raft-v1.txt", new Membership.Raft("group", SELF, List.of(SELF, OTHER), false));
    check("member-forming-v1.txt", new Membership.Raft("group", SELF, List.of(SELF, OTHER), true));
  }

  @Test
  void theLogOfASingleMember() throws IOException {
    List<SoloRecord> records =
        List.of(
            new SoloRecord.Opening(new Position(1, 1)),
            new SoloRecord.Entry(new Position(1, 2), Bytes.utf8("first")),
            new SoloRecord.Opening(new Position(300, 3)),
            new SoloRecord.Entry(new Position(300, 4), Bytes.EMPTY));
    SoloSegments segments = new SoloSegments(files, SoloSettings.DEFAULT, Position.START);
    for (SoloRecord record : records) {
      segments.append(record);
      segments.sync();
    }
    segments.roll();
    byte[] stored = FormatFile.readSalted("solo-log-v1.bin", StoredBytes.read(files, LOG));
    files.replace(LOG, stored);
    List<SoloRecord> found = new ArrayList<>();
    new SoloSegments(files, SoloSettings.DEFAULT, Position.START).replay(found::add);
    assertThat(found).isEqualTo(records);
  }
}
