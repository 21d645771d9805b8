package io.stele.server.admin;

import io.stele.base.error.SteleException;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Whether a node can be sent requests: each part that it runs adds a check. {@code GET /readyz}
 * answers {@code ok}, or 503 with the checks that fail; with {@code ?verbose} all of them:
 *
 * <pre>
 *   [+] metastore: ok
 *   [-] tables: the tablet server has no session in the metastore
 *   not ready
 * </pre>
 *
 * <p>{@code ?exclude=NAME} leaves a check out, as often as it is given.
 */
public final class Readiness {
  private record Check(String name, Supplier<Optional<String>> problem) {}

  private static final String START = "start";

  private final List<Check> checks = new CopyOnWriteArrayList<>();
  private volatile String unready = "the server is starting"; // empty once it has started

  public Readiness() {
    add(START, () -> Optional.of(unready).filter(why -> !why.isEmpty()));
  }

  /**
   * Adds a check.
   *
   * @param problem why the part cannot be sent requests; must not wait
   */
  public void add(String name, Supplier<Optional<String>> problem) {
    checks.add(new Check(name, problem));
  }

  /** All parts that there will be have been started. */
  public void started() {
    unready = "";
  }

  /** The node leaves: nothing more should be sent to it. */
  public void stopping() {
    unready = "the server is stopping";
  }

  public boolean isReady() {
    return problems().values().stream().allMatch(Optional::isEmpty);
  }

  /** Of each check, by its name, what is wrong, if anything. */
  public Map<String, Optional<String>> problems() {
    Map<String, Optional<String>> problems = new LinkedHashMap<>();
    checks.forEach(check -> problems.put(check.name(), ask(check)));
    return problems;
  }

  private static Optional<String> ask(Check check) {
    try {
      return check.problem().get();
    } catch (SteleException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** {@code GET /readyz}. */
  AdminAnswer page(AdminRequest request) {
    Set<String> excluded = Set.copyOf(request.parameters("exclude"));
    List<String> all = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    problems()
        .forEach(
            (name, problem) -> {
              if (excluded.contains(name)) {
                all.add("[+] " + name + ": excluded");
              } else if (problem.isPresent()) {
                failed.add("[-] " + name + ": " + problem.get());
                all.add("[-] " + name + ": " + problem.get());
              } else {
                all.add("[+] " + name + ": ok");
              }
            });
    String verdict = failed.isEmpty() ? "ok\n" : "not ready\n";
    List<String> shown = request.has("verbose") ? all : failed;
    String lines = shown.isEmpty() ? "" : String.join("\n", shown) + "\n";
    return AdminAnswer.plain(
        failed.isEmpty() ? AdminAnswer.OK : AdminAnswer.UNAVAILABLE, lines + verdict);
  }
}
