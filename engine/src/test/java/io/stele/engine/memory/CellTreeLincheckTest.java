package io.stele.engine.memory;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Is a tree that one writer fills, beside readers, the same as one that does a step at a time? The
 * root leaf is nearly full to begin with, so that leaves are filled and split under the readers.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:40")
public class CellTreeLincheckTest {
  private final CellArena arena = new CellArena();
  private final CellTree tree = new CellTree(arena);
  private long txn;

  public CellTreeLincheckTest() {
    for (int key = 1; key < CellTree.LEAF_SLOTS; key++) {
      tree.add(Cell.eraseRow(row(3 * key)).withTxn(++txn).view());
    }
  }

  /** The writer: adds a version of a row. */
  @Operation(nonParallelGroup = "writer")
  public void add(@Param(name = "key") int key) {
    tree.add(Cell.eraseRow(row(key)).withTxn(++txn).view());
  }

  /** A reader: the newest version of the first row at or after the key, as row and transaction. */
  @Operation
  public String firstFrom(@Param(name = "key") int key) {
    TreeCursor cursor = new TreeCursor(arena, tree);
    CellView target = CellView.beforeRow(row(key));
    return cursor.seek(target) ? cursor.cell().row() + "#" + cursor.cell().txn : "none";
  }

  private static Bytes row(int key) {
    return Bytes.of((byte) key);
  }

  @Test
  void everyInterleavingIsLikeSomeOrderOfTheSteps() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(150)
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(3)
        .actorsAfter(2)
        // It does not know the handles that read numbers from byte arrays; cells never change.
        .addGuarantee(forClasses(Binary.class.getName()).allMethods().ignore())
        .check(CellTreeLincheckTest.class);
  }

  @Test
  void realThreadsGiveWhatSomeOrderOfTheStepsGives() {
    new StressOptions()
        .iterations(5)
        .invocationsPerIteration(1_000)
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(4)
        .actorsAfter(2)
        .check(CellTreeLincheckTest.class);
  }
}
