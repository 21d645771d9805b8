package io.stele.base.cell;

/**
 * What a cell says. An erasure hides what was committed before it, by transaction number, and never
 * what comes later, whatever the timestamps; in replicated tables it hides by timestamp alone.
 *
 * <p>The codes are stored in every format and never change.
 */
public enum CellKind {
  /** A value at a row, column and timestamp. */
  PUT(0),
  /** Erases the one cell with exactly this row, column and timestamp. */
  ERASE_CELL(1),
  /** Erases the cells of a column with timestamps in a half-open range, kept as the value. */
  ERASE_COLUMN(2),
  /** Erases the cells of a row in a family, all or those of a time range; has no qualifier. */
  ERASE_FAMILY(3),
  /** Erases the cells of a row, all or those of a time range; has no family and no qualifier. */
  ERASE_ROW(4);

  private static final CellKind[] BY_CODE = values();

  private final int code;

  CellKind(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** The kind of a code that is known to be valid. */
  public static CellKind of(int code) {
    return BY_CODE[code];
  }

  public static boolean isCode(int code) {
    return code >= 0 && code < BY_CODE.length;
  }

  /** True if the cell has a timestamp of its own and so stands for one version of a column. */
  public boolean isVersion() {
    return code <= 1;
  }

  /** True for erasures that hide more than one cell. */
  public boolean isWide() {
    return code >= 2;
  }
}
