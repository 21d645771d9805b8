/** What happened, as typed records that log lines, metrics and the console all subscribe to. */
@NullMarked
package io.stele.base.event;

import org.jspecify.annotations.NullMarked;
