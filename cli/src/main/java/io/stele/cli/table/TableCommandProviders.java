package io.stele.cli.table;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds the commands for tables and rows to the command line, each by a provider of its own. */
public final class TableCommandProviders {
  private TableCommandProviders() {}

  /** {@code stele table}. */
  public static final class Tables implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new TableCommand();
    }
  }

  /** {@code stele put}. */
  public static final class Put implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new PutCommand();
    }
  }

  /** {@code stele get}. */
  public static final class Get implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new GetCommand();
    }
  }

  /** {@code stele scan}. */
  public static final class Scan implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new ScanCommand();
    }
  }

  /** {@code stele delete}. */
  public static final class Delete implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new DeleteCommand();
    }
  }

  /** {@code stele increment}. */
  public static final class Increment implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new IncrementCommand();
    }
  }

  /** {@code stele append}. */
  public static final class Append implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new AppendCommand();
    }
  }

  /** {@code stele meta}. */
  public static final class Meta implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new MetaCommand();
    }
  }
}
