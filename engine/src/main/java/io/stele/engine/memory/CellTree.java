package io.stele.engine.memory;

import io.stele.base.bytes.Binary;
import io.stele.base.cell.CellView;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A B+ tree over the cells of an arena: one writer at a time, any number of readers, no locks.
 *
 * <p>Beside each reference stands the first eight bytes of the cell's row, as a number, so that
 * most comparisons need not touch the cell itself, which would be a cache miss.
 *
 * <p><b>Leaves</b> hold up to 15 cells in the slots in which they arrived. Their order is one long,
 * the permutation: the count in the lowest four bits, then the slots in order, four bits each. A
 * cell is added by filling the next free slot and then storing the new permutation; a slot that a
 * published permutation names is never written again.
 *
 * <p><b>Branches</b> never change in shape. A leaf that is full is replaced by two in a copy of its
 * branch, a branch that is full by two branches, and the one child pointer (or the root) that named
 * the old node is set to the new one.
 *
 * <p><b>Memory order.</b> A permutation, a child pointer and the root are stored with release and
 * loaded with acquire: whoever sees one sees the slots, arena bytes and nodes below it. A node that
 * was replaced stays as it was. So a reader that starts from the root at some moment, and follows
 * whatever pointers it finds, meets every cell that was added before that moment, once and in
 * order, and may or may not meet cells added later: these have higher transaction numbers than its
 * read transaction, and the merge drops them.
 */
final class CellTree {
  static final int LEAF_SLOTS = 15;
  static final int BRANCH_CHILDREN = 64;

  private static final VarHandle PERMUTATION;
  private static final VarHandle ROOT;
  private static final VarHandle CHILD = MethodHandles.arrayElementVarHandle(Object[].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PERMUTATION = lookup.findVarHandle(Leaf.class, "permutation", long.class);
      ROOT = lookup.findVarHandle(CellTree.class, "root", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  static final class Leaf {
    static final long BYTES = 24 + 16 + 8L * LEAF_SLOTS + 16 + 4L * (LEAF_SLOTS + 1);

    final long[] prefixes = new long[LEAF_SLOTS];
    final int[] references = new int[LEAF_SLOTS];

    @SuppressWarnings("unused") // by PERMUTATION
    private long permutation;

    long permutation() {
      return (long) PERMUTATION.getAcquire(this);
    }

    static int count(long permutation) {
      return (int) (permutation & 0xf);
    }

    static int slot(long permutation, int position) {
      return (int) (permutation >>> (4 * position + 4)) & 0xf;
    }
  }

  /** Child i holds the cells from key i up to key i + 1; key 0 is never looked at. */
  static final class Branch {
    static final long ENTRY_BYTES = 8 + 4 + 4;
    static final long BYTES = 24 + 3 * 16;

    final long[] prefixes;
    final int[] references;
    final Object[] children; // Leaf or Branch; elements replaced in place, with release

    Branch(long[] prefixes, int[] references, Object[] children) {
      this.prefixes = prefixes;
      this.references = references;
      this.children = children;
    }

    Object child(int index) {
      return CHILD.getAcquire(children, index);
    }
  }

  private static final int MAX_DEPTH = 12;

  private final CellArena arena;

  @SuppressWarnings("unused") // by ROOT
  private Object root = new Leaf();

  // The writer's own: the path to the leaf of the last search, and what it costs.
  private final Branch[] path = new Branch[MAX_DEPTH];
  private final int[] pathIndex = new int[MAX_DEPTH];
  private final CellView scratch = new CellView();
  private long bytes = Leaf.BYTES;

  CellTree(CellArena arena) {
    this.arena = arena;
  }

  Object root() {
    return ROOT.getAcquire(this);
  }

  /** Bytes of memory that the nodes take. */
  long bytes() {
    return bytes;
  }

  /** Adds a cell whose key, transaction included, is not in the tree. */
  void add(CellView cell) {
    long prefix = prefix(cell);
    int depth = 0;
    Object node = root();
    while (node instanceof Branch branch) {
      int index = childFor(branch, prefix, cell, scratch);
      path[depth] = branch;
      pathIndex[depth++] = index;
      node = branch.child(index);
    }
    Leaf leaf = (Leaf) node;
    long permutation = leaf.permutation();
    int position = lowerBound(leaf, permutation, prefix, cell, scratch);
    int reference = arena.add(cell);
    if (Leaf.count(permutation) < LEAF_SLOTS) {
      insert(leaf, permutation, position, prefix, reference);
    } else {
      split(leaf, permutation, position, prefix, reference, depth);
    }
  }

  private static void insert(Leaf leaf, long permutation, int at, long prefix, int reference) {
    int count = Leaf.count(permutation);
    leaf.prefixes[count] = prefix; // slots are taken in order of arrival
    leaf.references[count] = reference;
    int shift = 4 * at + 4;
    long below = permutation & ((1L << shift) - 1);
    // Slots at or behind the position move up by four bits; the topmost four are free, as the leaf
    // is not full. A shift by 64 cannot come up: at <= count <= 14.
    long above = (permutation >>> shift) << (shift + 4);
    if (shift + 4 >= 64) {
      above = 0;
    }
    long updated = above | ((long) count << shift) | below;
    PERMUTATION.setRelease(leaf, updated + 1);
  }

  private void split(
      Leaf full, long permutation, int position, long prefix, int reference, int depth) {
    // Keys that arrive in ascending order would leave every leaf half empty: then cut at the end.
    int cut = position == LEAF_SLOTS ? LEAF_SLOTS : LEAF_SLOTS / 2 + 1;
    Leaf left = copy(full, permutation, 0, cut);
    Leaf right = copy(full, permutation, cut, LEAF_SLOTS);
    Leaf target = position < cut || (position == cut && cut < LEAF_SLOTS) ? left : right;
    insert(
        target,
        target.permutation(),
        target == left ? position : position - cut,
        prefix,
        reference);
    bytes += Leaf.BYTES;
    replace(left, right, depth);
  }

  private static Leaf copy(Leaf from, long permutation, int begin, int end) {
    Leaf leaf = new Leaf();
    long order = 0;
    for (int i = begin; i < end; i++) {
      int slot = Leaf.slot(permutation, i);
      int place = i - begin;
      leaf.prefixes[place] = from.prefixes[slot];
      leaf.references[place] = from.references[slot];
      order |= (long) place << (4 * place + 4);
    }
    PERMUTATION.setRelease(leaf, order | (end - begin));
    return leaf;
  }

  /** Puts two nodes where one was: below the branch at {@code depth - 1} of the path. */
  private void replace(Object left, Object right, int depth) {
    long prefix = firstPrefix(right);
    int reference = firstReference(right);
    if (depth == 0) {
      bytes += Branch.BYTES + 2 * Branch.ENTRY_BYTES;
      publish(
          0,
          new Branch(new long[] {0, prefix}, new int[] {0, reference}, new Object[] {left, right}));
      return;
    }
    Branch branch = path[depth - 1];
    int index = pathIndex[depth - 1];
    int count = branch.children.length;
    long[] prefixes = new long[count + 1];
    int[] references = new int[count + 1];
    Object[] children = new Object[count + 1];
    System.arraycopy(branch.prefixes, 0, prefixes, 0, index + 1);
    System.arraycopy(branch.references, 0, references, 0, index + 1);
    System.arraycopy(branch.children, 0, children, 0, index);
    System.arraycopy(branch.prefixes, index + 1, prefixes, index + 2, count - index - 1);
    System.arraycopy(branch.references, index + 1, references, index + 2, count - index - 1);
    System.arraycopy(branch.children, index + 1, children, index + 2, count - index - 1);
    prefixes[index + 1] = prefix;
    references[index + 1] = reference;
    children[index] = left;
    children[index + 1] = right;
    bytes += Branch.ENTRY_BYTES;
    if (count + 1 <= BRANCH_CHILDREN) {
      publish(depth - 1, new Branch(prefixes, references, children));
      return;
    }
    int cut = index == count - 1 ? count : (count + 1) / 2;
    bytes += Branch.BYTES;
    replace(
        slice(prefixes, references, children, 0, cut),
        slice(prefixes, references, children, cut, count + 1),
        depth - 1);
  }

  private static Branch slice(
      long[] prefixes, int[] references, Object[] children, int begin, int end) {
    return new Branch(
        Arrays.copyOfRange(prefixes, begin, end),
        Arrays.copyOfRange(references, begin, end),
        Arrays.copyOfRange(children, begin, end));
  }

  private void publish(int depth, Object node) {
    if (depth == 0) {
      ROOT.setRelease(this, node);
    } else {
      CHILD.setRelease(path[depth - 1].children, pathIndex[depth - 1], node);
    }
  }

  private static long firstPrefix(Object node) {
    return node instanceof Leaf leaf ? leaf.prefixes[0] : ((Branch) node).prefixes[0];
  }

  private static int firstReference(Object node) {
    return node instanceof Leaf leaf ? leaf.references[0] : ((Branch) node).references[0];
  }

  static long prefix(CellView cell) {
    // Flipped so that signed comparison is unsigned order.
    return Binary.prefix(cell.rowArray, cell.rowOffset, cell.rowLength) ^ Long.MIN_VALUE;
  }

  /** The child that holds the first cell at or after the given one, or the one before it. */
  int childFor(Branch branch, long prefix, CellView cell, CellView scratchView) {
    int low = 1;
    int high = branch.children.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(prefix, cell, branch.prefixes[middle], branch.references[middle], scratchView)
          < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low - 1;
  }

  /** The position of the first cell at or after the given one. */
  int lowerBound(Leaf leaf, long permutation, long prefix, CellView cell, CellView scratchView) {
    int low = 0;
    int high = Leaf.count(permutation);
    while (low < high) {
      int middle = (low + high) >>> 1;
      int slot = Leaf.slot(permutation, middle);
      if (compare(prefix, cell, leaf.prefixes[slot], leaf.references[slot], scratchView) <= 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private int compare(
      long prefix, CellView cell, long storedPrefix, int reference, CellView scratchView) {
    if (prefix != storedPrefix) {
      return prefix < storedPrefix ? -1 : 1;
    }
    return arena.compare(cell, reference, scratchView);
  }
}
