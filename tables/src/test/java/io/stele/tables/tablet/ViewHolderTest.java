package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class ViewHolderTest {
  private final OpenFiles files = new OpenFiles();
  private final FragmentGraph graph =
      new FragmentGraph(files.store, new BlockCache(1 << 20), (_, _) -> {});
  private final List<DiskFragment> closed = new CopyOnWriteArrayList<>();
  private final DiskFragment a = graph.use(files.write("a"));
  private final DiskFragment b = graph.use(files.write("b"));
  private final DiskFragment c = graph.use(files.write("c"));

  private final TableView ab = files.view(List.of(a, b));
  private final TableView bc = files.view(List.of(b, c));
  private final ViewHolder holder = new ViewHolder(ab, closed::add);

  private static void replace(ViewHolder holder, TableView next, DiskFragment dropped) {
    holder.replace(next);
    holder.retire(List.of(dropped));
    holder.collect();
  }

  @Test
  void whatNobodyReadsIsClosedAtOnceAndOnlyOnce() {
    replace(holder, bc, a);
    assertThat(closed).containsExactly(a);
    replace(holder, files.view(List.of(c)), b);
    assertThat(closed).containsExactly(a, b);
  }

  @Test
  void aBorrowedViewStaysAsItIsAndItsLastReaderClosesWhatIsGone() {
    Borrowed one = holder.borrow();
    Borrowed two = holder.borrow();
    assertThat(one.isCurrent()).isTrue();
    replace(holder, bc, a);
    assertThat(one.isCurrent()).isFalse();
    assertThat(one.view()).isSameAs(ab);
    assertThat(holder.current()).isSameAs(bc);
    one.close();
    one.close(); // has no effect
    assertThat(closed).isEmpty();
    two.close();
    assertThat(closed).containsExactly(a);
  }

  @Test
  void anOlderReaderKeepsWhatALaterViewStillNamed() {
    Borrowed first = holder.borrow();
    replace(holder, bc, a);
    Borrowed second = holder.borrow();
    replace(holder, files.view(List.of(c)), b);
    second.close();
    assertThat(closed).as("the first reads a and b").isEmpty();
    first.close();
    assertThat(closed).containsExactlyInAnyOrder(a, b);
  }

  @Test
  void aLaterReaderDoesNotKeepWhatItsViewNeverNamed() {
    Borrowed first = holder.borrow();
    replace(holder, bc, a);
    Borrowed second = holder.borrow();
    replace(holder, files.view(List.of(c)), b);
    first.close();
    assertThat(closed).containsExactly(a);
    second.close();
    assertThat(closed).containsExactly(a, b);
  }

  /** Readers without locks never find a file closed, and in the end each was closed once. */
  @Test
  void readersAndOneReplacer() throws Exception {
    List<DiskFragment> fragments = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      fragments.add(graph.use(files.write("f" + i)));
    }
    Set<DiskFragment> gone = ConcurrentHashMap.newKeySet();
    ViewHolder many =
        new ViewHolder(
            files.view(fragments.subList(0, 2)),
            fragment -> assertThat(gone.add(fragment)).as("closed once").isTrue());
    AtomicBoolean done = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        readers.add(
            threads.submit(
                () -> {
                  int reads = 0;
                  do { // once at least, however late it gets its turn
                    try (Borrowed borrowed = many.borrow()) {
                      assertThat(gone)
                          .doesNotContainAnyElementsOf(OpenFiles.fragments(borrowed.view()));
                      reads++;
                    }
                  } while (!done.get());
                  return reads;
                }));
      }
      for (int i = 1; i + 1 < fragments.size(); i++) {
        replace(many, files.view(fragments.subList(i, i + 2)), fragments.get(i - 1));
      }
      done.set(true);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
    }
    assertThat(gone).hasSize(fragments.size() - 2);
  }
}
