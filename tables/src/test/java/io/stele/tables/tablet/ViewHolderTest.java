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

  @Test
  void whatNobodyReadsIsClosedAtOnceAndOnlyOnce() {
    holder.replace(bc, List.of(a));
    holder.collect();
    assertThat(closed).containsExactly(a);
    holder.replace(files.view(List.of(c)), List.of(b));
    holder.collect();
    assertThat(closed).containsExactly(a, b);
  }

  @Test
  void aBorrowedViewStaysAsItIsAndItsLastReaderClosesWhatIsGone() {
    Borrowed one = holder.borrow();
    Borrowed two = holder.borrow();
    assertThat(one.isCurrent()).isTrue();
    holder.replace(bc, List.of(a));
    holder.collect();
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
    holder.replace(bc, List.of(a));
    holder.collect();
    Borrowed second = holder.borrow();
    holder.replace(files.view(List.of(c)), List.of(b));
    holder.collect();
    second.close();
    assertThat(closed).as("the first reads a and b").isEmpty();
    first.close();
    assertThat(closed).containsExactlyInAnyOrder(a, b);
  }

  @Test
  void aLaterReaderDoesNotKeepWhatItsViewNeverNamed() {
    Borrowed first = holder.borrow();
    holder.replace(bc, List.of(a));
    holder.collect();
    Borrowed second = holder.borrow();
    holder.replace(files.view(List.of(c)), List.of(b));
    holder.collect();
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
        many.replace(files.view(fragments.subList(i, i + 2)), List.of(fragments.get(i - 1)));
        many.collect();
      }
      done.set(true);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
    }
    assertThat(gone).hasSize(fragments.size() - 2);
  }
}
