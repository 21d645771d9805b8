package io.stele.base.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SteleExceptionTest {
  private final Throwable cause = new IllegalStateException("why");

  private final List<SteleException> all =
      List.of(
          new ConflictException("message", cause),
          new CorruptDataException("file", 7, "this", "that"),
          new DeniedException("message", cause),
          new ExhaustedException("message", cause),
          new FencedException("message", cause),
          new InvalidRequestException("message", cause),
          new NotFoundException("message", cause),
          new NotServingException("message", "host:1"),
          new OutcomeUnknownException("message", cause),
          new UnavailableException("message", cause));

  @Test
  void everyKindIsListedHere() {
    assertThat(all)
        .extracting(Object::getClass)
        .hasSameElementsAs(List.of(SteleException.class.getPermittedSubclasses()));
  }

  @Test
  void onlyWhatMaySucceedUnchangedIsRetryable() {
    for (SteleException e : all) {
      // No default: a new kind has to say here what its caller may do.
      boolean expected =
          switch (e) {
            case ExhaustedException _, NotServingException _, UnavailableException _ -> true;
            case ConflictException _,
                CorruptDataException _,
                FencedException _,
                DeniedException _,
                InvalidRequestException _,
                NotFoundException _,
                OutcomeUnknownException _ ->
                false;
          };
      assertThat(e.retryable()).as(e.getClass().getSimpleName()).isEqualTo(expected);
    }
  }

  @Test
  void messagesAndCausesAreKept() {
    for (SteleException e : all) {
      switch (e) {
        case CorruptDataException corrupt -> {
          assertThat(corrupt)
              .hasMessage("corrupt data in file at offset 7: expected this, found that");
          assertThat(corrupt.file()).isEqualTo("file");
          assertThat(corrupt.offset()).isEqualTo(7);
        }
        case NotServingException elsewhere -> assertThat(elsewhere.hint()).contains("host:1");
        default -> assertThat(e).hasMessage("message").hasCause(cause);
      }
    }
    assertThat(new NotServingException("message").hint()).isEmpty();
    assertThat(new ConflictException("message")).hasNoCause();
  }
}
