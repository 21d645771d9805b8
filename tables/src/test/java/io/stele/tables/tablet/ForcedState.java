package io.stele.tables.tablet;

import io.stele.tables.tablet.TabletsEdit.Added;
import io.stele.tables.tablet.TabletsEdit.Removed;
import io.stele.tables.tablet.TabletsEdit.StateChanged;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Puts a tablet in a state that it would not come to by itself at this moment. */
public final class ForcedState {
  private ForcedState() {}

  /** Forward step by step, as requests under way see it; back as if it had left and come again. */
  public static void set(CommitLock lock, Table table, Tablet tablet, TabletState state) {
    lock.run(
        () -> {
          TabletView now = table.view().find(tablet).orElseThrow();
          if (state.number() < now.state().number() && !now.state().mayBecome(state)) {
            table.commit(new Removed(Set.of(tablet)));
            if (state != TabletState.UNKNOWN) {
              TabletView cold = now.withFiles(now.files(), Optional.empty());
              table.commit(new Added(List.of(cold.withState(state)))).orElseThrow();
            }
            return;
          }
          TabletState from = now.state();
          while (from != state) {
            TabletState next =
                from.mayBecome(state) ? state : TabletState.values()[from.ordinal() + 1];
            table.commit(new StateChanged(Set.of(tablet), from, next));
            from = next;
          }
        });
  }
}
