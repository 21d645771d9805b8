package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import java.time.Duration;

/** How a server becomes part of a group, and how it keeps its log then. */
public record GroupSettings(
    @About("a server that belongs to no group forms one by itself; false where others are awaited")
        boolean formAlone,
    @About("how long a server stays reserved for a group that is being formed")
        Duration reservation,
    @About("how long another server may take to answer while a group is formed or changed")
        Duration answer,
    SoloSettings solo,
    RaftSettings raft) {
  public static final GroupSettings DEFAULT =
      new GroupSettings(
          true,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          SoloSettings.DEFAULT,
          RaftSettings.DEFAULT);

  public GroupSettings {
    if (!reservation.isPositive() || !answer.isPositive()) {
      throw new InvalidRequestException(
          "reservation of " + reservation + ", answer in " + answer + ": must be positive");
    }
  }

  /** For a server that is told whom to look for, and waits to be taken into a group. */
  public GroupSettings awaitingOthers() {
    return new GroupSettings(false, reservation, answer, solo, raft);
  }

  public GroupSettings withRaft(RaftSettings other) {
    return new GroupSettings(formAlone, reservation, answer, solo, other);
  }
}
