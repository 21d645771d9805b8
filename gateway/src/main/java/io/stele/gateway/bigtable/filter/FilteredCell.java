package io.stele.gateway.bigtable.filter;

import io.stele.base.cell.CellView;

/**
 * A cell on its way through a filter. The bytes are those of the page that was read, which nobody
 * changes.
 */
public final class FilteredCell {
  private final CellView view;
  private final int ordinal;
  private final boolean stripped;
  private final String label;

  private FilteredCell(CellView view, int ordinal, boolean stripped, String label) {
    this.view = view;
    this.ordinal = ordinal;
    this.stripped = stripped;
    this.label = label;
  }

  /**
   * A cell as it was read.
   *
   * @param ordinal its place in its row, by which results that come late are put in order
   */
  static FilteredCell of(CellView read, int ordinal) {
    CellView view = new CellView();
    view.pointTo(read);
    return new FilteredCell(view, ordinal, false, "");
  }

  FilteredCell withoutValue() {
    return new FilteredCell(view, ordinal, true, label);
  }

  FilteredCell withLabel(String newLabel) {
    return new FilteredCell(view, ordinal, stripped, newLabel);
  }

  /** As it was read; whether its value still counts, {@link #isStripped} tells. */
  public CellView view() {
    return view;
  }

  public boolean isStripped() {
    return stripped;
  }

  int valueLength() {
    return stripped ? 0 : view.valueLength;
  }

  int ordinal() {
    return ordinal;
  }

  /** Empty if it has none. */
  public String label() {
    return label;
  }
}
