package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the method of a {@link Job} bean that is called when the retries are exhausted.
 * It takes the handler's arguments, a {@link Throwable} and a {@link JobContext}, or any
 * subset of them; for a {@link Buffered} job the {@code List<E>} of the dead items. A
 * parameter receives the argument with the same name and type; if there is none, the
 * remaining argument of its type. What the method throws is logged and recorded, and the
 * job is dead all the same.
 * <p>
 * For a batch the method is called once for all items that die together, with the error
 * and the context of the first of them. The others may have died of other errors; each
 * dead letter keeps its own error.
 * <p>
 * Neither the job's time-out nor a cancellation interrupts the method. If the process
 * ends or loses the database meanwhile, the job is claimed again: if it has attempts left
 * (because an exception or a policy ended it early) the handler runs once more, otherwise
 * this method is called again. After its last attempt it is called again at most three
 * times; the dead job's error says so. If the arguments cannot be read, the method is
 * called only if it takes none of them.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface OnDead {

}
