package io.stele.server.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MirrorTest {
  private static final long LINGER = 100;

  private final Mirror mirror = new Mirror("v1/partitions/", LINGER);
  private final List<String> told = new ArrayList<>();

  private Set<String> names(String directory) {
    return mirror.children(directory).orElseThrow().keySet();
  }

  @Test
  void nothingIsKnownBeforeTheFirstList() {
    mirror.listen("v1/nodes", () -> told.add("nodes"));

    assertThat(mirror.children("v1/nodes")).isEmpty();
    mirror.replace(Map.of(), 0, 0);
    assertThat(mirror.children("v1/nodes")).contains(Map.of());
    assertThat(told).containsExactly("nodes");
  }

  @Test
  void onlyDirectChildrenAreListedAndOnlyTheirListenersTold() {
    mirror.replace(Map.of("v1/nodes/a:1", "", "v1/partitions/d/1/00000@a:1", ""), 0, 0);
    Runnable end = mirror.listen("v1/partitions/d/1", () -> told.add("partitions"));
    mirror.listen("v1/nodes", () -> told.add("nodes"));

    mirror.put("v1/partitions/d/1/00001@a:1", "");
    mirror.put("v1/partitions/d/1/00001@a:1", "");
    mirror.put("v1/partitions/d/10/00001@a:1", "");

    assertThat(told).as("once, and not what changes nothing").containsExactly("partitions");
    assertThat(names("v1/partitions/d/1")).containsExactly("00000@a:1", "00001@a:1");
    assertThat(names("v1/partitions/d")).isEmpty();
    end.run();
    mirror.put("v1/partitions/d/1/00002@a:1", "");
    assertThat(told).hasSize(1);
  }

  @Test
  void nodesThatAreGoneAreGoneAtOnceAndHoldersAMomentLater() {
    mirror.replace(Map.of("v1/nodes/a:1", "", "v1/partitions/d/1/00000@a:1", ""), 0, 0);
    mirror.listen("v1/partitions/d/1", () -> told.add("partitions"));

    mirror.delete("v1/nodes/a:1", 10);
    mirror.delete("v1/partitions/d/1/00000@a:1", 10);

    assertThat(names("v1/nodes")).isEmpty();
    assertThat(names("v1/partitions/d/1")).containsExactly("00000@a:1");
    assertThat(mirror.has("v1/partitions/d/1/00000@a:1")).isFalse();
    mirror.pass(10 + LINGER - 1);
    assertThat(names("v1/partitions/d/1")).containsExactly("00000@a:1");
    mirror.pass(10 + LINGER);
    assertThat(names("v1/partitions/d/1")).isEmpty();
    assertThat(told).containsExactly("partitions");
  }

  @Test
  void holdersThatComeBackWereNeverGone() {
    mirror.replace(Map.of("v1/partitions/d/1/00000@a:1", ""), 0, 0);
    mirror.listen("v1/partitions/d/1", () -> told.add("partitions"));

    mirror.delete("v1/partitions/d/1/00000@a:1", 10);
    mirror.put("v1/partitions/d/1/00000@a:1", "");
    mirror.pass(10 + LINGER);

    assertThat(names("v1/partitions/d/1")).containsExactly("00000@a:1");
    assertThat(told).isEmpty();
  }

  @Test
  void newListOfAWipedMetastoreLeavesTheOthersTimeToComeBack() {
    mirror.replace(Map.of("v1/nodes/a:1", "", "v1/nodes/b:1", ""), 0, 0);

    mirror.replace(Map.of("v1/nodes/a:1", ""), 10, 1_000);
    assertThat(names("v1/nodes")).containsExactly("a:1", "b:1");
    mirror.pass(1_010);

    assertThat(names("v1/nodes")).containsExactly("a:1");
  }
}
