package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.StoreCall;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class FragmentGraphTest {
  private final OpenFiles files = new OpenFiles();
  private final FragmentGraph graph =
      new FragmentGraph(files.store, new BlockCache(1 << 20), (_, _) -> {});
  private final FilePath a = files.write("a");
  private final FilePath b = files.write("b");

  @Test
  void aFileIsOpenedOnceAndClosedWithItsLastUse() {
    DiskFragment fragment = graph.use(a);
    assertThat(graph.use(a)).isSameAs(fragment);
    graph.share(fragment);
    assertThat(graph.uses(a)).isEqualTo(3);
    assertThat(graph.release(List.of(fragment))).isEmpty();
    assertThat(graph.release(List.of(fragment, graph.use(b))))
        .extracting(DiskFragment::path)
        .containsExactly(b);
    assertThat(graph.release(List.of(fragment))).containsExactly(fragment);
    assertThat(graph.uses(a)).isZero();
  }

  @Test
  void aFileThatIsNotUsedButStillReadMustNotBeDeleted() {
    DiskFragment fragment = graph.use(a);
    graph.release(List.of(fragment));
    assertThat(graph.openFiles()).containsExactly(a);
    DiskFragment again = graph.use(a);
    assertThat(again).as("the first is on its way out").isNotSameAs(fragment);
    graph.close(fragment);
    assertThat(graph.openFiles()).containsExactly(a);
    graph.release(List.of(again)).forEach(graph::close);
    assertThat(graph.openFiles()).isEmpty();
  }

  @Test
  void usesThatDoNotExistCannotBeEndedOrShared() {
    DiskFragment fragment = graph.use(a);
    assertThatThrownBy(() -> graph.release(List.of(fragment, fragment)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("fragments/a");
    assertThatThrownBy(() -> graph.share(fragment)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aFileThatCannotBeOpenedIsNotInUse() {
    files.store.failNth(StoreCall.OPEN, 1, () -> new IOException("no such luck"));
    assertThatThrownBy(() -> graph.use(a))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("fragments/a")
        .hasMessageContaining("no such luck");
    assertThat(graph.uses(a)).isZero();
    assertThat(graph.use(a).path()).isEqualTo(a);
  }

  @Test
  void manyWhoUseAFileAtOnceGetTheSame() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int round = 0; round < 200; round++) {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<DiskFragment>> uses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          uses.add(
              threads.submit(
                  () -> {
                    start.await();
                    return graph.use(a);
                  }));
        }
        start.countDown();
        List<DiskFragment> used = new ArrayList<>();
        for (Future<DiskFragment> use : uses) {
          used.add(use.get());
        }
        assertThat(used).containsOnly(used.getFirst());
        used.getFirst().verify(); // open
        assertThat(graph.uses(a)).isEqualTo(4);
        assertThat(graph.release(used)).hasSize(1).allSatisfy(graph::close);
        assertThat(graph.openFiles()).isEmpty();
      }
    }
  }
}
