package io.stele.gateway.bigtable.admin;

import io.stele.base.error.InvalidRequestException;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Consumer;

/** Lists in pages: the token of a page is the name that the one before it ended with. */
public final class Paging {
  private Paging() {}

  /**
   * One page.
   *
   * @param size 0 for all there is
   * @param token of the page; empty for the first
   * @return the token of the next page; empty if there is none
   */
  public static <T> String page(SortedMap<String, T> all, int size, String token, Consumer<T> add) {
    if (size < 0) {
      throw new InvalidRequestException("page_size " + size + ": must not be negative");
    }
    String last = token;
    int added = 0;
    for (Map.Entry<String, T> each : all.entrySet()) {
      if (!token.isEmpty() && each.getKey().compareTo(token) <= 0) {
        continue;
      }
      if (size != 0 && added == size) {
        return last;
      }
      add.accept(each.getValue());
      last = each.getKey();
      added++;
    }
    return "";
  }
}
