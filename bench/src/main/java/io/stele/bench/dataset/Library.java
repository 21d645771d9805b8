package io.stele.bench.dataset;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.stele.bench.driver.Crew;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** The library that shards are stored by, used by itself: all records in one log and one index. */
final class Library implements AutoCloseable {
  static final String NAME = "sparkey";

  private final SparkeyReader reader;

  private Library(SparkeyReader reader) {
    this.reader = reader;
  }

  static Library write(Path directory, int records) throws IOException {
    File index = directory.resolve("all.spi").toFile();
    try (SparkeyWriter writer = Sparkey.createNew(index, CompressionType.NONE, 0)) {
      for (int i = 0; i < records; i++) {
        writer.put(BenchRecords.key(i), BenchRecords.value(i));
      }
      writer.writeHash();
    }
    return new Library(Sparkey.openSingleThreadedReader(index));
  }

  /** One thread that looks up random records, with a reader of its own. */
  Crew.Work lookups(int thread, int records) {
    SparkeyReader own = reader.duplicate();
    SplittableRandom random = new SplittableRandom(thread);
    return () -> {
      int number = random.nextInt(records);
      byte[] value = own.getAsByteArray(BenchRecords.key(number));
      if (value == null) {
        throw new IllegalStateException("the library does not have record " + number);
      }
      return true;
    };
  }

  @Override
  public void close() {
    reader.close();
  }
}
