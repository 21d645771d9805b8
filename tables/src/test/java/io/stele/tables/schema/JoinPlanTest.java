package io.stele.tables.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/**
 * Two tablets, up to row m and behind it. Files named l.. and u.. have rows of one, s.. of both.
 */
class JoinPlanTest {
  @Test
  void halvesOfASplitComeBackTogether() {
    assertThat(join("X:s1 s2", "X:s1 s2")).contains(ChainPlanTest.chains("X:s1 s2"));
  }

  @Test
  void filesOfOneHalfAloneAreTakenAlong() {
    Optional<SortedMap<String, List<FragmentRef>>> joined = join("X:s1 l2", "X:s1 u2 u3");
    assertThat(joined).isPresent();
    assertThat(joined.get().get("X"))
        .startsWith(FragmentRef.whole(FilePath.of("s1")))
        .containsSubsequence(ChainPlanTest.chains("X:s1 l2").get("X"))
        .containsSubsequence(ChainPlanTest.chains("X:s1 u2 u3").get("X"))
        .hasSize(4);
  }

  /** The upper half dropped a row with its erasure; the file of the lower half still has it. */
  @Test
  void aSharedFileThatOneHalfHasCompactedAwayKeepsThemApart() {
    assertThat(join("X:s1", "X:u2")).isEmpty();
    assertThat(join("X:l2", "X:s1")).isEmpty();
    assertThat(join("X:l1", "X:u2")).isPresent();
  }

  @Test
  void aFileThatCountsDifferentlyInTheHalvesKeepsThemApart() {
    assertThat(join("X:l1[a]", "X:l1[a,b]")).isEmpty();
    assertThat(join("X:s1[a]", "Y:s1[b]")).isEmpty();
    assertThat(join("X:s1[a]", "X:s1[a]")).contains(ChainPlanTest.chains("X:s1[a]"));
  }

  @Test
  void halvesThatOrderTheirFilesDifferentlyStayApart() {
    assertThat(join("X:s1 s2", "X:s2 s1")).isEmpty();
  }

  @Test
  void aGroupMayBeInOneHalfOnly() {
    assertThat(join("X:l1", "Y:u1")).contains(ChainPlanTest.chains("X:l1", "Y:u1"));
  }

  private static Optional<SortedMap<String, List<FragmentRef>>> join(String lower, String upper) {
    Bytes middle = Bytes.utf8("m");
    return JoinPlan.join(
        TabletConfig.empty("t", Bytes.EMPTY, Optional.of(middle))
            .withFragments(ChainPlanTest.chains(lower)),
        TabletConfig.empty("t", middle, Optional.empty())
            .withFragments(ChainPlanTest.chains(upper)),
        path ->
            switch (path.value().charAt(0)) {
              case 'l' -> new RowRange(Bytes.utf8("a"), Bytes.utf8("b"));
              case 'u' -> new RowRange(Bytes.utf8("y"), Bytes.utf8("z"));
              default -> new RowRange(Bytes.utf8("a"), Bytes.utf8("z"));
            });
  }
}
