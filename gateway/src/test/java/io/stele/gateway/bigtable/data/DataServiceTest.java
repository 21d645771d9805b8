package io.stele.gateway.bigtable.data;

import static io.stele.gateway.bigtable.data.DataFixture.query;
import static io.stele.gateway.bigtable.data.DataFixture.set;
import static io.stele.gateway.bigtable.data.DataFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.bigtable.v2.RowSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DataServiceTest {
  private final DataFixture fixture = new DataFixture("a", "b");

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void whatIsWrittenIsRead() {
    fixture.mutate("r1", set("a", "x", 1000, "one"), set("b", "y", 2000, "two"));
    fixture.mutate("r2", set("a", "x", -1, "three"));
    assertThat(fixture.texts(query()))
        .containsExactly(
            "r1/a:x@1000=one[]", "r1/b:y@2000=two[]", "r2/a:x@1700000000000000=three[]");
    assertThat(fixture.texts(query().setRows(RowSet.newBuilder().addRowKeys(utf8("r2")))))
        .containsExactly("r2/a:x@1700000000000000=three[]");
  }
}
