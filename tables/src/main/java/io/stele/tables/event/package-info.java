/** What a tablet server tells its operator. */
@NullMarked
package io.stele.tables.event;

import org.jspecify.annotations.NullMarked;
