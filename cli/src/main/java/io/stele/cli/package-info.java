/**
 * The {@code stele} command: its root, what all subcommands share (exit codes, errors, output
 * formats), and {@link io.stele.cli.CommandProvider}, by which other modules add subcommands.
 */
@NullMarked
package io.stele.cli;

import org.jspecify.annotations.NullMarked;
