package io.stele.cli.table;

import io.stele.base.cell.Cell;
import io.stele.cli.ValueText;
import io.stele.client.table.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows for programs. What is no text stands, as base 64, under a name that says so:
 *
 * <pre>{@code
 * {"row": "42", "cells": [{"family": "name", "qualifier": "first", "time": 17, "valueBase64": "AP8="}]}
 * }</pre>
 */
public final class CellJson {
  private CellJson() {}

  public static Map<String, Object> row(Row row) {
    Map<String, Object> object = new LinkedHashMap<>();
    ValueText.putJson(object, "row", row.key());
    List<Map<String, Object>> cells = new ArrayList<>();
    row.cells().forEach(cell -> cells.add(cell(cell)));
    object.put("cells", cells);
    return object;
  }

  private static Map<String, Object> cell(Cell cell) {
    Map<String, Object> object = new LinkedHashMap<>();
    ValueText.putJson(object, "family", cell.family());
    ValueText.putJson(object, "qualifier", cell.qualifier());
    object.put("time", cell.timestamp());
    ValueText.putJson(object, "value", cell.value());
    return object;
  }
}
