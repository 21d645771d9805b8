package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.event.Events;
import io.stele.base.file.MemoryFileStore;
import io.stele.metastore.node.MetastoreNode;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.SoloLog;
import io.stele.metastore.raft.SoloSettings;
import io.stele.tables.meta.RootStore;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MetastoreRootStoreTest {
  private final MemoryFileStore files = new MemoryFileStore();
  private MetastoreNode node;
  private RootStore root;

  @BeforeEach
  void open() throws IOException {
    Events events = new Events((_, _) -> {});
    Member self = new Member("self", "127.0.0.1:1", "127.0.0.1:2");
    node =
        new MetastoreNode.Builder(
                files, state -> SoloLog.open(files, self, state, SoloSettings.DEFAULT, events))
            .events(events)
            .group(() -> "group")
            .open();
    root = new MetastoreRootStore(node);
  }

  @AfterEach
  void close() {
    node.close();
    files.close();
  }

  @Test
  void isEmptyAtFirst() {
    assertThat(root.load()).isEmpty();
  }

  @Test
  void keepsWhatWasSavedLast() {
    long first = root.save(Bytes.utf8("one"), 0);
    assertThat(first).isPositive();
    long second = root.save(Bytes.utf8("two"), first);
    assertThat(root.load()).contains(new RootStore.Root(Bytes.utf8("two"), second));
  }

  @Test
  void isNotChangedByThoseWhoDoNotKnowWhatItSays() {
    assertThatThrownBy(() -> root.save(Bytes.utf8("one"), 7)).isInstanceOf(ConflictException.class);
    assertThat(root.load()).isEmpty();
    long first = root.save(Bytes.utf8("one"), 0);
    assertThatThrownBy(() -> root.save(Bytes.utf8("two"), 0))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("version " + first);
    assertThat(root.load()).contains(new RootStore.Root(Bytes.utf8("one"), first));
  }

  @Test
  void keepsTheFirstIdOfTheCluster() {
    assertThat(root.identity()).isEmpty();
    UUID first = new UUID(1, 2);
    assertThat(root.identify(first)).isEqualTo(first);
    assertThat(root.identify(new UUID(3, 4))).isEqualTo(first);
    assertThat(root.identity()).contains(first);
  }
}
