package io.stele.engine.memory;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.memory.CellTree.Branch;
import io.stele.engine.memory.CellTree.Leaf;
import java.util.Arrays;

/** Walks a tree that may be growing: see {@link CellTree} on what it meets. */
final class TreeCursor implements CellCursor {
  private final CellArena arena;
  private final CellTree tree;
  private final CellView view = new CellView();
  private final CellView scratch = new CellView();
  private Branch[] path = new Branch[4];
  private int[] pathIndex = new int[4];
  private int depth;
  private Leaf leaf = new Leaf();
  private long permutation;
  private int position;
  private boolean started;

  TreeCursor(CellArena arena, CellTree tree) {
    this.arena = arena;
    this.tree = tree;
  }

  @Override
  public boolean seek(CellView target) {
    started = true;
    long prefix = CellTree.prefix(target);
    depth = 0;
    Object node = tree.root();
    while (node instanceof Branch branch) {
      int index = tree.childFor(branch, prefix, target, scratch);
      push(branch, index);
      node = branch.child(index);
    }
    leaf = (Leaf) node;
    permutation = leaf.permutation();
    position = tree.lowerBound(leaf, permutation, prefix, target, scratch);
    return settle();
  }

  @Override
  public boolean next() {
    if (!started) {
      started = true;
      depth = 0;
      descend(tree.root());
    } else {
      position++;
    }
    return settle();
  }

  @Override
  public CellView cell() {
    return view;
  }

  /** Fills the view with the cell at the position, moving on to the next leaf if need be. */
  private boolean settle() {
    while (position >= Leaf.count(permutation)) {
      while (depth > 0 && pathIndex[depth - 1] + 1 >= path[depth - 1].children.length) {
        depth--;
      }
      if (depth == 0) {
        permutation = 0; // and so every further next() answers false
        position = 0;
        return false;
      }
      descend(path[depth - 1].child(++pathIndex[depth - 1]));
    }
    arena.read(leaf.references[Leaf.slot(permutation, position)], view);
    return true;
  }

  private void descend(Object from) {
    Object node = from;
    while (node instanceof Branch branch) {
      push(branch, 0);
      node = branch.child(0);
    }
    leaf = (Leaf) node;
    permutation = leaf.permutation();
    position = 0;
  }

  private void push(Branch branch, int index) {
    if (depth == path.length) {
      path = Arrays.copyOf(path, depth * 2);
      pathIndex = Arrays.copyOf(pathIndex, depth * 2);
    }
    path[depth] = branch;
    pathIndex[depth++] = index;
  }
}
