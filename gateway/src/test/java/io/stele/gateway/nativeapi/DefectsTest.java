package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.stele.base.error.NotFoundException;
import io.stele.base.event.Defect;
import io.stele.base.event.Defects;
import io.stele.base.event.Subscription;
import io.stele.gateway.bigtable.call.BigtableErrors;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.protocol.wire.ErrorMapping;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What a client is told of an exception that nobody expected, and what the log is. */
class DefectsTest {
  record Gateway(String name, Function<Throwable, String> answer) {
    @Override
    public String toString() {
      return name;
    }
  }

  static final List<Gateway> GATEWAYS =
      List.of(
          new Gateway("native", problem -> text(ErrorMapping.toStatus(problem).getStatus())),
          new Gateway("rows", problem -> ErrorMapping.toMessage(problem).getMessage()),
          new Gateway("bigtable", problem -> text(BigtableErrors.of(problem).getStatus())),
          new Gateway("etcd", problem -> text(EtcdErrors.of(problem).getStatus())));

  private static String text(Status status) {
    return String.valueOf(status.getDescription());
  }

  @ParameterizedTest
  @FieldSource("GATEWAYS")
  void theClientGetsAnIdAndTheLogTheStackTrace(Gateway gateway) {
    List<Defect> defects = new CopyOnWriteArrayList<>();
    IllegalStateException cause = new IllegalStateException("inner works");
    try (Subscription _ = Defects.ofProcess().listen(defects::add)) {
      String told = gateway.answer().apply(new CompletionException(cause));

      Defect defect =
          defects.stream().filter(each -> each.cause() == cause).findFirst().orElseThrow();
      assertThat(told).contains(defect.id()).doesNotContain("inner works");
      assertThat(defect.trace()).contains(cause);
      assertThat(defect.text()).contains(defect.id(), "inner works");
    }
  }

  @ParameterizedTest
  @FieldSource("GATEWAYS")
  void anErrorOfSteleIsNone(Gateway gateway) {
    List<Defect> defects = new CopyOnWriteArrayList<>();
    try (Subscription _ = Defects.ofProcess().listen(defects::add)) {
      assertThat(gateway.answer().apply(new NotFoundException("no such table")))
          .contains("no such table");
      assertThat(defects).noneMatch(defect -> defect.cause() instanceof NotFoundException);
    }
  }
}
