package io.stele.cli.doctor;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele doctor} to the command line. */
public final class DoctorCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new DoctorCommand();
  }

  @Override
  public String name() {
    return "doctor";
  }
}
