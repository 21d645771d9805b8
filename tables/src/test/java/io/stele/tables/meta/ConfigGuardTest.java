package io.stele.tables.meta;

import static io.stele.tables.meta.Configs.tablet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaTable.Change;
import io.stele.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** META takes a tablet's configuration from its owner, and from who knows it as it is. */
class ConfigGuardTest {
  private static final FilePath OWN = FilePath.of("logs/1"); // as the tablets of Configs have it
  private static final FilePath OTHER = FilePath.of("logs/2");

  private final MemoryMeta meta = new MemoryMeta();
  private final MemoryRoot root = new MemoryRoot();
  private final MetaTable table = new MetaTable(meta, root);
  private final TabletConfig stored = tablet("", "!");

  ConfigGuardTest() {
    save(stored, ConfigGuard.NONE);
  }

  private long save(TabletConfig config, ConfigGuard guard) {
    return table.apply(MetaLevel.META1, new Change(List.of(config), List.of()), guard);
  }

  private static TabletConfig at(TabletConfig config, String location, FilePath log) {
    return config.withServer(location, List.of(new LogRef(log, 9)));
  }

  private Optional<TabletConfig> kept() {
    return table.tablet(stored.key());
  }

  /** The next so many commits fail as if others had come in between. */
  private AtomicInteger conflicts(int count, Supplier<SteleException> failure) {
    AtomicInteger left = new AtomicInteger(count);
    meta.failWith(() -> left.getAndDecrement() > 0 ? Optional.of(failure.get()) : Optional.empty());
    return left;
  }

  @Test
  void onlyTheOwnerSavesATablet() {
    TabletConfig next = stored.withFragments(Map.of());
    save(next, ConfigGuard.owned(OWN));
    assertThat(kept()).contains(next);
    assertThatThrownBy(() -> save(stored, ConfigGuard.owned(OTHER)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("logs/1")
        .hasMessageContaining("logs/2");
    TabletConfig nobodys = next.withServer("", List.of());
    save(nobodys, ConfigGuard.owned(OWN));
    assertThatThrownBy(() -> save(next, ConfigGuard.owned(OWN)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("nobody");
    assertThat(kept()).contains(nobodys);
  }

  @Test
  void aTabletThatIsNotThereIsNewOrGone() {
    TabletConfig other = tablet("", "m");
    assertThatThrownBy(() -> save(other, ConfigGuard.owned(OWN)))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("no longer in META");
    table.apply(
        MetaLevel.META1,
        new Change(List.of(other, stored.withFirst(Bytes.utf8("m"))), List.of()),
        ConfigGuard.ownedOrNew(OWN));
    assertThat(table.tablets("t")).hasSize(2);
    TabletConfig joined = tablet("", "!");
    assertThatThrownBy(
            () ->
                table.apply(
                    MetaLevel.META1,
                    new Change(List.of(joined), List.of(other.key())),
                    ConfigGuard.ownedOrNew(OTHER)))
        .isInstanceOf(FencedException.class);
    assertThat(table.tablets("t")).as("both or none").hasSize(2);
  }

  @Test
  void whoTakesATabletOverMustKnowItAsItIs() {
    TabletConfig mine = at(stored, "two:1", OTHER);
    TabletConfig theirs = at(stored, "three:1", FilePath.of("logs/3"));
    save(mine, ConfigGuard.unchanged(List.of(stored)));
    assertThatThrownBy(() -> save(theirs, ConfigGuard.unchanged(List.of(stored))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("two:1");
    assertThatThrownBy(() -> save(stored, ConfigGuard.owned(OWN)))
        .as("the server it was taken from")
        .isInstanceOf(FencedException.class);
    assertThat(kept()).contains(mine);
  }

  /** As when META1 came to another server, which knows of no row how old it is. */
  @Test
  void aRowThatMayHaveBeenChangedIsReadAgain() {
    AtomicInteger left = conflicts(3, () -> new ConflictException("may have been changed"));
    int before = meta.applies();
    save(at(stored, "two:1", OTHER), ConfigGuard.unchanged(List.of(stored)));
    assertThat(left.get()).isNegative();
    assertThat(meta.applies() - before).isEqualTo(4);
    conflicts(Integer.MAX_VALUE, () -> new ConflictException("for ever"));
    assertThatThrownBy(() -> save(stored, ConfigGuard.owned(OTHER)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("for ever");
  }

  @Test
  void whatCameInBetweenIsNotOverwritten() {
    TabletConfig theirs = at(stored, "two:1", OTHER);
    // The other is quicker: its change is made while this one is about to be committed.
    AtomicInteger once = new AtomicInteger();
    meta.failWith(
        () -> {
          if (once.getAndIncrement() == 0) {
            save(theirs, ConfigGuard.NONE);
          }
          return Optional.empty();
        });
    assertThatThrownBy(() -> save(stored, ConfigGuard.owned(OWN)))
        .isInstanceOf(FencedException.class);
    assertThat(kept()).contains(theirs);
  }

  @Test
  void theRootHasOneOwnerToo() {
    TabletConfig meta0 =
        at(TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty()), "one:1", OWN);
    Change first = new Change(List.of(meta0), List.of());
    table.apply(MetaLevel.ROOT, first, ConfigGuard.unchanged(List.of()));
    MetaTable other = new MetaTable(meta, root);
    TabletConfig taken = at(meta0, "two:1", OTHER);
    Change second = new Change(List.of(taken), List.of());
    assertThatThrownBy(
            () -> other.apply(MetaLevel.ROOT, second, ConfigGuard.unchanged(List.of(taken))))
        .isInstanceOf(ConflictException.class);
    other.apply(MetaLevel.ROOT, second, ConfigGuard.unchanged(List.of(meta0)));
    assertThatThrownBy(() -> table.apply(MetaLevel.ROOT, first, ConfigGuard.owned(OWN)))
        .isInstanceOf(FencedException.class);
    assertThat(table.tablet(meta0.key())).contains(taken);
  }

  @Test
  void aSaveThatIsForbiddenIsNotTriedAgainAndTheOthersAreMade() {
    List<TableEvent> events = new ArrayList<>();
    try (ConfigWriter writer =
        new ConfigWriter(table, ConfigGuard.owned(OWN), new ManualClock(), events::add)) {
      save(at(tablet("", "c"), "two:1", OTHER), ConfigGuard.NONE);
      save(tablet("c", "m"), ConfigGuard.NONE);
      TabletConfig mine = tablet("c", "m", "new");
      CompletableFuture<Long> lost =
          writer.save(tablet("", "c").key(), () -> Optional.of(tablet("", "c")));
      CompletableFuture<Long> kept = writer.save(mine.key(), () -> Optional.of(mine));
      ConfigLane lane = writer.lane("t");
      assertThat(lane.runOnce()).isTrue();
      assertThat(lane.runOnce()).as("nothing is left to be tried").isFalse();
      assertThat(kept).isCompleted();
      assertThatThrownBy(() -> Futures.await(lost)).isInstanceOf(FencedException.class);
      assertThat(table.tablet(mine.key())).contains(mine);
      assertThat(events).isEmpty();
    }
  }
}
