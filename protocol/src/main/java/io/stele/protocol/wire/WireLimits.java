package io.stele.protocol.wire;

import io.stele.base.cell.Cell;

/** How much either side sends and takes at once. */
public final class WireLimits {
  /** Of one batch of cells: the largest cell, and something beside it. */
  public static final int MAX_BATCH_BYTES = Cell.MAX_VALUE + (4 << 20);

  /** Of one message: one batch of cells in an envelope. */
  public static final int MAX_MESSAGE_BYTES = MAX_BATCH_BYTES + (1 << 20);

  /** Small operations and answers are gathered into messages of about this size. */
  public static final int GATHERED_BYTES = 256 << 10;

  /** What one read may answer, though never less than a cell; more is had by a scan. */
  public static final int MAX_READ_BYTES = 4 << 20;

  /** Of a page of a scan, though never less than a cell. */
  public static final int MAX_PAGE_BYTES = 4 << 20;

  private WireLimits() {}
}
