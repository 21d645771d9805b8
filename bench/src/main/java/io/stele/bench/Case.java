package io.stele.bench;

/**
 * One thing that a benchmark measures.
 *
 * @param name by which it is chosen on the command line
 * @param group by which it is chosen together with others of its kind
 * @param about what it measures, for {@code --list}
 * @param work what the benchmark does for it
 */
public record Case<W>(String name, String group, String about, W work) {
  public Case(String name, String about, W work) {
    this(name, name, about, work);
  }

  /** A number of people or things that ask, in words. */
  public static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
