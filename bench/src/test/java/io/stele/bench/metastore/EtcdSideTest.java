package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drives the etcd that is installed; where there is none, says so. */
class EtcdSideTest {
  @TempDir private Path temp;
  private Side etcd = new MemorySide("none");

  @BeforeEach
  void findEtcd() {
    switch (EtcdSide.find()) {
      case Peer.Present(Side side) -> etcd = side;
      case Peer.Absent(_, String reason) -> abort("etcd is absent: " + reason);
    }
  }

  @Test
  void itsVersionIsKnown() {
    assertThat(etcd.version()).matches("\\d+\\.\\d+\\.\\d+");
    assertThat(etcd.facts().get("etcd")).startsWith(etcd.version());
  }

  @Test
  void oneMemberAnswersEveryKindOfRequestAndKeepsItsDataOverARestart() throws Exception {
    SideContract.oneMember(etcd, temp);
  }

  @Test
  void threeMembersAreOneStore() throws Exception {
    SideContract.threeMembers(etcd, temp);
  }

  @Test
  void aKeyThatIsNotThereIsAWrongAnswer() throws Exception {
    try (Contestant contestant = Contestant.start(etcd, temp, 1)) {
      KeySet keys = new KeySet("/absent", 10, 16);
      assertThatThrownBy(() -> contestant.connection(0).get(keys, 3).get())
          .hasCauseInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("1 keys from /absent/0000000003 on were asked for and 0 found");
    }
  }
}
