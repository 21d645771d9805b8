package io.stele.gateway.nativeapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireHeaders;
import java.net.ConnectException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ErrorMappingTest {
  static final List<SteleException> ALL =
      List.of(
          new ConflictException("m"),
          new CorruptDataException("f", 3, "a", "b"),
          new DeniedException("m"),
          new ExhaustedException("m"),
          new FencedException("m"),
          new InvalidRequestException("m"),
          new NotFoundException("m"),
          new NotServingException("m", "leader:1"),
          new OutcomeUnknownException("m"),
          new UnavailableException("m"));

  @ParameterizedTest
  @FieldSource("ALL")
  void everyKindComesBackAsItself(SteleException error) {
    StatusRuntimeException sent = ErrorMapping.toStatus(new CompletionException(error));
    assertThat(ErrorMapping.isAnswer(sent.getTrailers())).isTrue();
    SteleException back = ErrorMapping.fromThrown("here:1", sent);
    assertThat(back).hasSameClassAs(error);
    assertThat(back.getMessage()).contains(String.valueOf(error.getMessage()));
  }

  @Test
  void theLeaderGoesAlong() {
    StatusRuntimeException sent = ErrorMapping.toStatus(new NotServingException("m", "leader:1"));
    Metadata trailers = Objects.requireNonNull(sent.getTrailers());
    assertThat(trailers.get(WireHeaders.LEADER)).isEqualTo("leader:1");
    assertThat(((NotServingException) ErrorMapping.fromThrown("here:1", sent)).hint())
        .contains("leader:1");
  }

  @Test
  void kindsAreCodesForForeignClientsToo() {
    assertThat(ErrorMapping.toStatus(new ConflictException("m")).getStatus().getCode())
        .isEqualTo(Status.Code.ABORTED);
    assertThat(ErrorMapping.toStatus(new InvalidRequestException("m")).getStatus().getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(ErrorMapping.toStatus(new NotServingException("m")).getStatus().getCode())
        .isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Test
  void aDefectIsNoAnswer() {
    StatusRuntimeException sent = ErrorMapping.toStatus(new IllegalStateException("oops"));
    assertThat(sent.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(ErrorMapping.isAnswer(sent.getTrailers())).isFalse();
    assertThat(ErrorMapping.fromThrown("here:1", sent))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("here:1")
        .hasMessageContaining("oops");
  }

  @Test
  void whatCouldNotConnectWasNeverSent() {
    assertThat(
            ErrorMapping.neverSent(
                Status.UNAVAILABLE.withCause(new RuntimeException(new ConnectException("no")))))
        .isTrue();
    assertThat(ErrorMapping.neverSent(Status.UNAVAILABLE)).isFalse();
    assertThat(ErrorMapping.neverSent(Status.DEADLINE_EXCEEDED)).isFalse();
  }
}
