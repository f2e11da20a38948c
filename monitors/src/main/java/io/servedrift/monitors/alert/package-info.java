/**
 * Alerts: what follows from findings and from missing data. Fed and asked by the command line's
 * processes; imports policies, panes' names and schemas. Pure where it decides: time is given.
 */
@NullMarked
package io.servedrift.monitors.alert;

import org.jspecify.annotations.NullMarked;
