package io.stele.metastore.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What is written is read again; what nobody wrote is found out, and never worse. */
class CodecsTest {
  private final RandomGenerator random = RandomSource.seeded(5);
  private final RandomCommands commands = new RandomCommands(random);

  private List<Command> entry() {
    List<Command> entry = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      entry.add(commands.command());
    }
    return entry;
  }

  @Test
  void entriesAreReadAsTheyWereWritten() {
    Set<Class<?>> kinds = new HashSet<>();
    for (int i = 0; i < 5_000; i++) {
      List<Command> entry = entry();
      entry.forEach(command -> kinds.add(command.getClass()));
      assertThat(EntryCodec.decode("entry", EntryCodec.encode(entry))).isEqualTo(entry);
    }
    assertThat(kinds).hasSize(Command.class.getPermittedSubclasses().length);
  }

  @Test
  void answersAreReadAsTheyWereWritten() throws Malformed {
    for (int i = 0; i < 5_000; i++) {
      Answer answer = commands.answer();
      ByteBuilder out = new ByteBuilder(64);
      AnswerCodec.write(out, answer);
      assertThat(AnswerCodec.read(new ByteReader(out.array(), 0, out.length()))).isEqualTo(answer);
    }
    for (Answer.Kind kind : Answer.Kind.values()) {
      ByteBuilder out = new ByteBuilder(64);
      AnswerCodec.write(out, new Answer.Refused(kind, "why"));
      assertThat(AnswerCodec.read(new ByteReader(out.array(), 0, out.length())))
          .isEqualTo(new Answer.Refused(kind, "why"));
    }
  }

  @Test
  void whatNobodyWroteIsCorruptAndNothingElse() {
    int corrupt = 0;
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes;
      if (i % 5 == 0) {
        bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        if (bytes.length > 0) {
          bytes[0] = 1;
        }
      } else {
        bytes = EntryCodec.encode(entry()).toArray();
        for (int n = random.nextInt(3); n >= 0; n--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        bytes = i % 3 == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
      }
      try {
        EntryCodec.decode("entry", Bytes.wrap(bytes));
      } catch (CorruptDataException e) {
        corrupt++;
      } catch (UnavailableException e) {
        assertThat(e).hasMessageContaining("start the newer program"); // by its version
      }
    }
    assertThat(corrupt).isGreaterThan(10_000);
  }

  @Test
  void aCorruptEntryIsNamed() {
    assertThatThrownBy(() -> EntryCodec.decode("log entry 3:9", Bytes.of((byte) 0)))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("log entry 3:9")
        .hasMessageContaining("version 0 instead of 1 to 3");
  }

  @Test
  void anEntryOfANewerProgramIsNotCorrupt() {
    assertThatThrownBy(() -> EntryCodec.decode("log entry 3:9", Bytes.of((byte) 4, (byte) 1)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("log entry 3:9 is of cluster version 4")
        .hasMessageContaining("up to 3; start the newer program");
  }

  /** So that a member of an older program stops at it, and not in the midst of it. */
  @Test
  void anEntryIsOfTheVersionThatItsCommandsNeed() {
    Command old = new Command.ExpireSession(1);
    assertThat(EntryCodec.encode(List.of(old)).toArray()[0]).isEqualTo((byte) 1);
    assertThat(EntryCodec.encode(List.of(old, new Command.TakeFingerprint())).toArray()[0])
        .isEqualTo((byte) 2);
  }

  @Test
  void anEntryHasOnlySoManyCommands() {
    List<Command> many =
        Collections.nCopies(EntryCodec.MAX_COMMANDS + 1, new Command.ExpireSession(1));
    assertThatThrownBy(() -> EntryCodec.encode(many))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("65535")
        .hasMessageContaining("65534");
    assertThat(EntryCodec.decode("", EntryCodec.encode(many.subList(1, many.size()))))
        .hasSize(EntryCodec.MAX_COMMANDS);
  }
}
