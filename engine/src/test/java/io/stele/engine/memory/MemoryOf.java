package io.stele.engine.memory;

import io.stele.engine.memory.CellTree.Branch;
import io.stele.engine.memory.CellTree.Leaf;
import java.lang.reflect.Field;

/** Adds up the arrays that a mem fragment really holds, with 16 bytes of header for each. */
final class MemoryOf {
  private static final long ARRAY = 16;
  private static final long NODE = 24;

  private MemoryOf() {}

  static long fragment(MemFragment fragment) {
    return chunks(field(fragment, "arena", CellArena.class))
        + node(field(fragment, "tree", CellTree.class).root());
  }

  private static long chunks(CellArena arena) {
    long bytes = 0;
    for (byte[] chunk : field(arena, "chunks", byte[][].class)) {
      bytes += chunk == null ? 0 : ARRAY + chunk.length;
    }
    return bytes;
  }

  private static long node(Object node) {
    if (node instanceof Leaf leaf) {
      return NODE
          + ARRAY
          + 8L * leaf.prefixes.length
          + ARRAY
          + 4L * (leaf.references.length + 1); // an odd number of ints, filled up
    }
    Branch branch = (Branch) node;
    int count = branch.children.length;
    long bytes = NODE + ARRAY + 8L * count + ARRAY + 4L * count + ARRAY + 4L * count;
    for (int i = 0; i < count; i++) {
      bytes += node(branch.child(i));
    }
    return bytes;
  }

  private static <T> T field(Object owner, String name, Class<T> type) {
    try {
      Field field = owner.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return type.cast(field.get(owner));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no field " + name + " in " + owner.getClass(), e);
    }
  }
}
