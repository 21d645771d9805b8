package io.stele.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;

/**
 * Standard output of a process. Print streams and writers swallow errors, so a command whose reader
 * went away, as in {@code stele scan users | head -1}, would run on to its end; here the first
 * failed write throws {@link Gone}, which passes through them and ends the command.
 */
final class StandardOutput extends FilterOutputStream {

  /** Nobody reads what is written. */
  static final class Gone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Gone(IOException cause) {
      super("standard output: " + cause.getMessage(), cause);
    }
  }

  private StandardOutput(OutputStream out) {
    super(out);
  }

  /**
   * Takes the place of {@link System#out}, and returns what commands print to: line by line on a
   * terminal, in blocks where a program reads it.
   */
  static PrintWriter replaceSystemOut(boolean terminal) {
    PrintStream before = System.out;
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(new PrintStream(new StandardOutput(out), false, before.charset()));
    return writer(out, before.charset(), terminal);
  }

  static PrintWriter writer(OutputStream out, Charset charset, boolean terminal) {
    return new PrintWriter(new OutputStreamWriter(new StandardOutput(out), charset), terminal);
  }

  @Override
  public void write(int b) {
    try {
      out.write(b);
    } catch (IOException e) {
      throw new Gone(e);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw new Gone(e);
    }
  }

  @Override
  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new Gone(e);
    }
  }
}
