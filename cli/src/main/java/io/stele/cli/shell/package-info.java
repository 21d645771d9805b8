/** {@code stele shell}: any number of commands over one connection, typed or from a script. */
@NullMarked
package io.stele.cli.shell;

import org.jspecify.annotations.NullMarked;
