package io.stele.testkit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.opentest4j.TestAbortedException;

class StrictSkipsTest {
  private static final TestAbortedException SKIPPED = new TestAbortedException("no etcd");

  @Test
  void continuousIntegrationFailsWhereATestIsSkipped() {
    StrictSkips strict = new StrictSkips(true);
    assertThatThrownBy(() -> strict.handleTestExecutionException(null, SKIPPED))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no etcd");
    assertThatThrownBy(() -> strict.handleBeforeAllMethodExecutionException(null, SKIPPED))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> strict.handleBeforeEachMethodExecutionException(null, SKIPPED))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void elsewhereASkippedTestStaysSkipped() {
    assertThatThrownBy(() -> new StrictSkips(false).handleTestExecutionException(null, SKIPPED))
        .isSameAs(SKIPPED);
  }

  @Test
  void failuresStayWhatTheyAre() {
    AssertionError failure = new AssertionError("1 is not 2");
    assertThatThrownBy(() -> new StrictSkips(true).handleTestExecutionException(null, failure))
        .isSameAs(failure);
  }

  @Test
  void jUnitFindsIt() {
    assertThat(ServiceLoader.load(Extension.class)).hasAtLeastOneElementOfType(StrictSkips.class);
  }
}
