package io.stele.tables.schema;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.FragmentRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Which fragments make up the chain of each group, from the chains that were saved and the schema
 * that now holds. A tablet's chains are made by it when it is loaded and when its schema changes;
 * if the schema is the one they were saved under, they come out as they were.
 *
 * <p>A fragment counts in a group with those of its families that counted somewhere before and now
 * belong to the group. What once ceased to count, because a compaction of another group took it
 * over or because the family was dropped, never counts again: that is why restrictions are saved.
 *
 * <p><b>Order.</b> Chains are merged by one order of all fragments of the tablet in which every
 * saved chain is ascending. Ordering by family alone, group by group, is not enough. Chains of
 * different groups could then come to contradict each other, if two fragments that share no family
 * in either group are ordered by way of a third in both, and a later change that unites the groups
 * would find a cycle.
 *
 * <p>With one order there is never a cycle among the saved chains of a tablet. A flush adds a
 * fragment behind all others of its chains, and flushes come one after the other. A compaction puts
 * one fragment, which is in no other chain, in place of a run of one chain: a cycle through it
 * would lead from something behind the run to something before it by way of other chains, and
 * together with the chain itself that was a cycle before. And what is made here follows one order.
 * So a cycle is damage, and an error that says so.
 *
 * <p>Fragments that no chain orders go by their newest transactions. This counts where a tablet was
 * given fragments under a new schema before its old chains were made anew, as when a log is
 * replayed after a crash during the change: they are newer than all older ones of their families,
 * or repeat what those hold.
 *
 * <p><b>Row erasures</b> belong to no family. A fragment that may hold some counts in every group
 * that gets cells from what is older in its chain, even where none of its families does; else those
 * cells would come back. More is not needed: each group was given its own copy of the erasure when
 * it was committed.
 */
public final class ChainPlan {
  /**
   * What a plan needs to know of a fragment.
   *
   * @param families all that the file has cells of
   * @param rowErasures may there be erasures of rows among its cells?
   * @param maxTxn where nothing else decides, the lower goes first
   */
  public record Contents(Set<Bytes> families, boolean rowErasures, long maxTxn) {
    public Contents {
      families = Set.copyOf(families);
    }
  }

  private final String tablet;
  private final FamilyMap families;
  private final SortedMap<String, List<FragmentRef>> saved;
  private final Map<FilePath, Contents> contents = new HashMap<>();

  private ChainPlan(
      String tablet,
      TableSchema schema,
      SortedMap<String, List<FragmentRef>> saved,
      Function<FilePath, Contents> contentsOf) {
    this.tablet = tablet;
    this.families = new FamilyMap(schema);
    this.saved = saved;
    for (List<FragmentRef> chain : saved.values()) {
      for (FragmentRef fragment : chain) {
        contents.computeIfAbsent(fragment.path(), contentsOf);
      }
    }
  }

  /**
   * Makes the chains of all groups that have fragments.
   *
   * @param tablet what to call the tablet if its chains are damaged
   * @param saved the chains as they were, oldest first, by the names of their groups
   * @param contentsOf asked once for each file
   * @throws CorruptDataException if no change of schema can have made these chains
   */
  public static SortedMap<String, List<FragmentRef>> plan(
      String tablet,
      TableSchema schema,
      SortedMap<String, List<FragmentRef>> saved,
      Function<FilePath, Contents> contentsOf) {
    return new ChainPlan(tablet, schema, saved, contentsOf).plan();
  }

  private SortedMap<String, List<FragmentRef>> plan() {
    Map<FilePath, Set<Bytes>> counting = counting();
    List<Set<FilePath>> erasing = erasing();
    List<FilePath> order = order();
    SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
    for (int index = 0; index < families.groups().size(); index++) {
      GroupSchema group = families.groups().get(index);
      List<FragmentRef> chain = new ArrayList<>();
      for (FilePath path : order) {
        Set<Bytes> own = families.ofGroup(counting.getOrDefault(path, Set.of()), index);
        if (!own.isEmpty() || erasing.get(index).contains(path)) {
          chain.add(
              own.equals(contents(path).families())
                  ? FragmentRef.whole(path)
                  : FragmentRef.restricted(path, own));
        }
      }
      if (!chain.isEmpty()) {
        chains.put(group.name(), chain);
      }
    }
    return chains;
  }

  /** The families of each fragment that counted in any group. */
  private Map<FilePath, Set<Bytes>> counting() {
    Map<FilePath, Set<Bytes>> counting = new HashMap<>();
    saved.forEach(
        (group, chain) -> {
          for (FragmentRef fragment : chain) {
            Set<Bytes> all = counting.computeIfAbsent(fragment.path(), any -> new HashSet<>());
            for (Bytes family : counting(fragment)) {
              if (!all.add(family)) {
                throw corrupt(
                    "family \"" + family + "\" of file " + fragment.path() + " in one group",
                    "it counts in group \"" + group + "\" and in another");
              }
            }
          }
        });
    return counting;
  }

  private Set<Bytes> counting(FragmentRef fragment) {
    Set<Bytes> own = contents(fragment.path()).families();
    if (fragment.families().isEmpty()) {
      return own;
    }
    Set<Bytes> counting = new HashSet<>(fragment.families().get());
    counting.retainAll(own);
    return counting;
  }

  /** For each group, the fragments that must be in its chain for their row erasures. */
  private List<Set<FilePath>> erasing() {
    List<Set<FilePath>> erasing = new ArrayList<>();
    for (int index = 0; index < families.groups().size(); index++) {
      Set<FilePath> needed = new HashSet<>();
      for (List<FragmentRef> chain : saved.values()) {
        boolean older = false;
        for (FragmentRef fragment : chain) {
          if (older && contents(fragment.path()).rowErasures()) {
            needed.add(fragment.path());
          }
          older |= !families.ofGroup(counting(fragment), index).isEmpty();
        }
      }
      erasing.add(needed);
    }
    return erasing;
  }

  /** One order of all fragments in which every saved chain is ascending. */
  private List<FilePath> order() {
    FragmentOrder order =
        FragmentOrder.merge(
            saved.values().stream()
                .map(chain -> chain.stream().map(FragmentRef::path).toList())
                .toList(),
            Comparator.comparingLong(path -> contents(path).maxTxn()));
    if (!order.cyclic().isEmpty()) {
      throw corrupt(
          "chains that agree on the order of their files",
          "each of " + order.cyclic() + " before another of them");
    }
    return order.files();
  }

  private Contents contents(FilePath path) {
    Contents known = contents.get(path);
    if (known == null) {
      throw new IllegalStateException("nothing is known of " + path);
    }
    return known;
  }

  private CorruptDataException corrupt(String expected, String found) {
    return new CorruptDataException("META, fragments of the " + tablet, 0, expected, found);
  }
}
