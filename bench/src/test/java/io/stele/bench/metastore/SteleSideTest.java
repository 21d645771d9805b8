package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drives real servers, from the class path of this test. */
class SteleSideTest {
  private final Side stele = new SteleSide();
  @TempDir private Path temp;

  @Test
  void itsFlagsAreTold() {
    assertThat(stele.facts().get("Stele flags")).contains("-XX:+UseParallelGC");
  }

  @Test
  void oneMemberAnswersEveryKindOfRequestAndKeepsItsDataOverARestart() throws Exception {
    SideContract.oneMember(stele, temp);
  }

  @Test
  void oneMemberAnswersInEtcdsApiToo() throws Exception {
    SideContract.oneMember(new SteleSide(Api.ETCD), temp);
  }

  /** Three JVMs that start at once take their time on few cores. */
  @Test
  @Tag("long")
  void threeMembersAreOneStore() throws Exception {
    SideContract.threeMembers(stele, temp);
  }
}
