package io.stele.bench;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Whom Stele is measured against: there, or named as absent with the reason. */
public sealed interface Peer<S extends Side> {
  String name();

  /** With its version, as it stands in the results. */
  String title();

  /** What stands above the results. */
  Map<String, String> facts();

  /** Says that it is absent, if it is, and why. */
  String absence();

  /** Stele's side and this one, if it is there. */
  List<S> sides(S stele);

  record Present<S extends Side>(S side) implements Peer<S> {
    @Override
    public String name() {
      return side.name();
    }

    @Override
    public String title() {
      return side.title();
    }

    @Override
    public Map<String, String> facts() {
      return side.facts();
    }

    @Override
    public String absence() {
      return "";
    }

    @Override
    public List<S> sides(S stele) {
      return List.of(stele, side);
    }
  }

  record Absent<S extends Side>(String name, String reason) implements Peer<S> {
    @Override
    public String title() {
      return name + " (absent)";
    }

    @Override
    public Map<String, String> facts() {
      return Map.of(name, "ABSENT: " + reason);
    }

    @Override
    public String absence() {
      return name + " is absent: " + reason;
    }

    @Override
    public List<S> sides(S stele) {
      return List.of(stele);
    }
  }

  /** How a peer is looked for. */
  interface Search<S> {
    S find() throws Exception;
  }

  /** The peer that a search finds; absent for the reason that the search fails with. */
  static <S extends Side> Peer<S> find(String name, Search<S> search) {
    try {
      return new Present<>(search.find());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Absent<>(name, "the search for it was interrupted");
    } catch (Exception | LinkageError e) {
      return new Absent<>(name, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }
}
