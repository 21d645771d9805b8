package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drives real servers, from the class path of this test. */
class SteleSideTest {
  @TempDir private Path temp;

  @Test
  void oneMemberAnswersEveryKindOfRequestAndKeepsItsDataOverARestart() throws Exception {
    MetastoreSide stele = new SteleSide(false);
    assertThat(stele.facts().get("Stele flags")).contains("-XX:+UseParallelGC");
    SideContract.oneMember(stele, temp);
  }

  @Test
  @Tag("long")
  void oneMemberAnswersInEtcdsApiToo() throws Exception {
    SideContract.requestsOfOneMember(new SteleSide(true), temp);
  }

  /** Three JVMs that start at once take their time on few cores. */
  @Test
  @Tag("long")
  void threeMembersAreOneStore() throws Exception {
    SideContract.threeMembers(new SteleSide(false), temp);
  }
}
