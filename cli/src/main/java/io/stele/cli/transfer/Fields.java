package io.stele.cli.transfer;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Cuts the lines of a CSV or TSV file into fields, and writes them. */
sealed interface Fields {
  /** The fields of the next record; nothing at the end of the file. */
  Optional<List<String>> next(LineInput lines) throws IOException;

  /** One record, with its line break. */
  String line(List<String> fields);

  /** Fields that hold no tabs: bytes that would break the form are escaped before. */
  record Tabs() implements Fields {
    @Override
    public Optional<List<String>> next(LineInput lines) throws IOException {
      return lines.next().map(line -> List.of(line.split("\t", -1)));
    }

    @Override
    public String line(List<String> fields) {
      return String.join("\t", fields) + "\n";
    }
  }

  /**
   * RFC 4180: commas between fields; a field in quotes may hold commas, line breaks, and quotes,
   * which are doubled.
   */
  record Commas() implements Fields {
    @Override
    public Optional<List<String>> next(LineInput lines) throws IOException {
      Optional<String> first = lines.next();
      return first.isEmpty() ? Optional.empty() : Optional.of(fields(first.get(), lines));
    }

    private static List<String> fields(String first, LineInput lines) throws IOException {
      List<String> fields = new ArrayList<>();
      String line = first;
      int at = 0;
      while (true) {
        StringBuilder field = new StringBuilder();
        if (at < line.length() && line.charAt(at) == '"') {
          at++;
          while (true) { // until the closing quote
            int quote = line.indexOf('"', at);
            if (quote < 0) {
              field.append(line, at, line.length()).append('\n');
              line =
                  lines
                      .next()
                      .orElseThrow(() -> new InvalidRequestException("a quote is not closed"));
              at = 0;
            } else if (quote + 1 < line.length() && line.charAt(quote + 1) == '"') {
              field.append(line, at, quote + 1);
              at = quote + 2;
            } else {
              field.append(line, at, quote);
              at = quote + 1;
              break;
            }
          }
          if (at < line.length() && line.charAt(at) != ',') {
            throw new InvalidRequestException(
                "character %d: a field goes on behind its quotes".formatted(at + 1));
          }
        } else {
          int comma = line.indexOf(',', at);
          int end = comma < 0 ? line.length() : comma;
          if (line.substring(at, end).indexOf('"') >= 0) {
            throw new InvalidRequestException(
                "character %d: a quote within a field; quote the whole field and double it"
                    .formatted(line.indexOf('"', at) + 1));
          }
          field.append(line, at, end);
          at = end;
        }
        fields.add(field.toString());
        if (at == line.length()) {
          return fields;
        }
        at++; // the comma
      }
    }

    @Override
    public String line(List<String> fields) {
      StringBuilder line = new StringBuilder();
      for (String field : fields) {
        line.append(line.isEmpty() ? "" : ",").append(quoted(field));
      }
      return line.append('\n').toString();
    }

    private static String quoted(String field) {
      boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
      return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
  }
}
