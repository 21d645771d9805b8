/** What is generated from the commands themselves: the manual page, and completion for shells. */
@NullMarked
package io.stele.cli.manual;

import org.jspecify.annotations.NullMarked;
