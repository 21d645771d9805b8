/** What both ends of the native protocol agree on beside its messages: headers and errors. */
@NullMarked
package io.stele.protocol.wire;

import org.jspecify.annotations.NullMarked;
