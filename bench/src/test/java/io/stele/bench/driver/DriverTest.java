package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverTest {
  private final Driver driver = new Driver(new MemoryStore(false));

  private static List<String> tell(Driver driver, String... requests) throws IOException {
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    driver.serve(
        new BufferedReader(new StringReader(String.join("\n", requests))),
        new PrintStream(answers, true, StandardCharsets.UTF_8));
    return answers.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void whatIsFilledInCanBeVerified() throws IOException {
    List<String> answers =
        tell(
            driver,
            "create t",
            "fill t 0 1234 1",
            "flush t",
            "verify t 0 1234",
            "await t 0 1234 64");
    assertThat(answers).hasSize(5).allMatch(answer -> answer.startsWith("ok "));
    assertThat(Sample.parse(answers.get(1)).runs()).as("batches").isEqualTo(13);
    assertThat(Sample.parse(answers.get(3)).runs()).isEqualTo(1234);
    assertThat(tell(driver, "verify t 0 1235").getFirst())
        .startsWith("error ")
        .contains("was read with 0 fields: must be 10");
  }

  @ParameterizedTest
  @EnumSource(Workload.class)
  void everyWorkloadRunsForItsTime(Workload workload) {
    // A machine that stands still for the whole time leaves each thread its first run alone.
    await().untilAsserted(() -> runForItsTime(workload));
  }

  private static void runForItsTime(Workload workload) throws IOException {
    List<String> answers =
        tell(
            new Driver(new MemoryStore(false)),
            "create t",
            "fill t 0 500 1",
            "run " + workload + " t 500 4 0.05 1");
    Sample answer = Sample.parse(answers.getLast());
    assertThat(answer.runs()).isGreaterThan(100);
    assertThat(answer.seconds()).isBetween(0.05, 10.0);
    assertThat(answer.p99Micros()).isGreaterThanOrEqualTo(answer.p50Micros());
  }

  @Test
  void soManyOperationsAreDoneAndNoMore() throws IOException {
    List<String> answers = tell(driver, "create t", "fill t 0 500 1", "work A t 500 4 1234 1");
    assertThat(Sample.parse(answers.getLast()).runs()).isEqualTo(1234);
  }

  @Test
  void loadingGoesOnWhereItWas() throws IOException {
    List<String> answers = tell(driver, "create t", "load t 4 0.02 1", "load t 1 0.02 2");
    long all = Sample.parse(answers.get(1)).runs() + Sample.parse(answers.get(2)).runs();
    assertThat(Sample.parse(tell(driver, "verify t 0 " + all).getFirst()).runs()).isEqualTo(all);
    assertThat(tell(driver, "verify t 0 " + (all + 1)).getFirst()).startsWith("error");
  }

  @Test
  void aWrongScanIsAnError() throws IOException {
    Driver wrong = new Driver(new MemoryStore(true));
    List<String> answers = tell(wrong, "create t", "fill t 0 500 1", "work E t 500 2 100 1");
    assertThat(answers.getLast()).startsWith("error ").contains("a scan of ", " found Found[");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "sing", "create", "run G t 5 1 1 1", "verify t 0 x", "drop t"})
  void aRequestThatCannotBeDoneIsAnsweredAndTheNextOneServed(String request) throws IOException {
    List<String> answers = tell(driver, request, "create t");
    assertThat(answers).hasSize(2);
    assertThat(answers.getFirst()).startsWith("error ");
    assertThat(answers.getLast()).startsWith("ok 1 ");
  }

  @Test
  void answersSurviveTheirLine() {
    Sample answer = new Sample(12_345, 1.25, 17.5, 99.125);
    assertThat(Sample.parse(answer.line())).isEqualTo(answer);
    assertThatThrownBy(() -> Sample.parse(Sample.errorLine(new IOException("no\n room"))))
        .hasMessage("java.io.IOException: no room");
    for (String line : List.of("", "ok", "ok 1 2 3", "ok 1 2 3 x", "yes 1 2 3 4")) {
      assertThatThrownBy(() -> Sample.parse(line)).hasMessageContaining("must be 'ok' with four");
    }
  }
}
