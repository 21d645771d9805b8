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

    @Override
    public String name() {
      return "table";
    }
  }

  /** {@code stele put}. */
  public static final class Put implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new PutCommand();
    }

    @Override
    public String name() {
      return "put";
    }
  }

  /** {@code stele get}. */
  public static final class Get implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new GetCommand();
    }

    @Override
    public String name() {
      return "get";
    }
  }

  /** {@code stele scan}. */
  public static final class Scan implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new ScanCommand();
    }

    @Override
    public String name() {
      return "scan";
    }
  }

  /** {@code stele delete}. */
  public static final class Delete implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new DeleteCommand();
    }

    @Override
    public String name() {
      return "delete";
    }
  }

  /** {@code stele increment}. */
  public static final class Increment implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new IncrementCommand();
    }

    @Override
    public String name() {
      return "increment";
    }
  }

  /** {@code stele append}. */
  public static final class Append implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new AppendCommand();
    }

    @Override
    public String name() {
      return "append";
    }
  }

  /** {@code stele meta}. */
  public static final class Meta implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new MetaCommand();
    }

    @Override
    public String name() {
      return "meta";
    }

    @Override
    public boolean takesMore() {
      return true;
    }
  }
}
