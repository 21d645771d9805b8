package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.Peer;
import io.stele.testkit.run.Needs;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drives the etcd that is installed. */
class EtcdSideTest {
  @TempDir private Path temp;
  private MetastoreSide etcd = new MemorySide("none");

  @BeforeEach
  void findEtcd() {
    Needs.program("etcd", "etcd-server");
    Peer<MetastoreSide> found = EtcdSide.find(EtcdSide.NAME);
    assertThat(found).as(found.absence()).isInstanceOf(Peer.Present.class);
    etcd = found.sides(etcd).getLast();
  }

  @Test
  void oneMemberAnswersEveryKindOfRequestAndKeepsItsDataOverARestart() throws Exception {
    assertThat(etcd.version()).matches("\\d+\\.\\d+\\.\\d+");
    assertThat(etcd.facts().get("etcd")).startsWith(etcd.version() + " (etcd)");
    SideContract.oneMember(etcd, temp);
  }

  @Test
  void threeMembersAreOneStore() throws Exception {
    SideContract.threeMembers(etcd, temp);
  }
}
