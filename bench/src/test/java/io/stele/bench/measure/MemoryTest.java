package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.bench.measure.Memory.Generation;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTest {

  @Test
  void residentMemoryIsReadFromTheKernelsLines() {
    Memory memory =
        Memory.resident(
            List.of(
                "Name:\tetcd",
                "VmHWM:\t  999999 kB",
                "VmRSS:\t   53312 kB",
                "RssAnon:\t   31056 kB",
                "RssFile:\t   22256 kB"));
    assertThat(memory).isEqualTo(new Memory(53_312L << 10, 53_312L << 10, 31_056L << 10));
    assertThatThrownBy(() -> Memory.resident(List.of("Name:\tetcd", "State:\tZ (zombie)")))
        .hasMessageContaining("VmRSS");
  }

  @Test
  void theLiveHeapIsReadOfEveryCollector() {
    assertThat(
            Memory.generations(
                """
                4711:
                 PSYoungGen      total 36864K, used 1024K [0x00000000d5580000, 0x00000000d8000000, 0x0000000100000000)
                  eden space 32768K, 3% used [0x00000000d5580000,0x00000000d5680000,0x00000000d7580000)
                 ParOldGen       total 87040K, used 512K [0x0000000080000000, 0x0000000085500000, 0x00000000d5580000)
                 Metaspace       used 4242K, committed 4352K, reserved 1114112K
                """))
        .containsExactly(
            new Generation(1 << 20, 0xd5580000L, 0x100000000L),
            new Generation(1 << 19, 0x80000000L, 0xd5580000L));
    assertThat(
            Memory.generations(
                " garbage-first heap   total 258048K, used 5120K [0x0000000704e00000,"
                    + " 0x0000000800000000)"))
        .containsExactly(new Generation(5120 << 10, 0x704e00000L, 0x800000000L));
    assertThatThrownBy(() -> Memory.generations("no such process"))
        .hasMessageContaining("jcmd tells no heap: no such process");
  }

  @Test
  void whatIsResidentInTheHeapIsNotCountedTwice() {
    assertThat(
            Memory.residentWithin(
                List.of(new Generation(1, 0x80000000L, 0x100000000L)),
                List.of(
                    "80000000-85500000 rw-p 00000000 00:00 0 ",
                    "Rss:              100 kB",
                    "7f0000000000-7f0000100000 r-xp 00000000 08:01 42 /lib/libc.so.6",
                    "Rss:               70 kB",
                    "d5580000-d8000000 rw-p 00000000 00:00 0 ",
                    "Size:            9999 kB",
                    "Rss:                5 kB")))
        .isEqualTo(105 << 10);
  }

  @Test
  void aJvmNeedsNoMoreThanIsResident() throws Exception {
    Memory memory = Memory.of(List.of(ProcessHandle.current()));
    assertThat(memory.needed()).isBetween(10L << 20, memory.resident());
    assertThat(memory.anonymous()).isPositive().isLessThanOrEqualTo(memory.resident());
  }
}
