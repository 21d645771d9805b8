package io.stele.engine.memory;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellView;
import io.stele.testkit.run.LongRun;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
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
    checkModel(1, 60);
  }

  @Test
  void realThreadsGiveWhatSomeOrderOfTheStepsGives() {
    checkStress(1, 500);
  }

  @Test
  @Tag(LongRun.TAG)
  void manyScenarios() throws Exception {
    LongRun.repeat(
        CellTreeLincheckTest.class,
        1,
        _ -> {
          checkModel(5, 1_000);
          checkStress(10, 2_000);
          return 15;
        });
  }

  private static void checkModel(int scenarios, int invocations) {
    new ModelCheckingOptions()
        .iterations(scenarios)
        .invocationsPerIteration(invocations)
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(3)
        .actorsAfter(2)
        // It does not know the handles that read numbers from byte arrays; cells never change.
        .addGuarantee(forClasses(Binary.class.getName()).allMethods().ignore())
        .check(CellTreeLincheckTest.class);
  }

  private static void checkStress(int scenarios, int invocations) {
    new StressOptions()
        .iterations(scenarios)
        .invocationsPerIteration(invocations)
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(4)
        .actorsAfter(2)
        .check(CellTreeLincheckTest.class);
  }
}
