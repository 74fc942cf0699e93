package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Dispatches a {@link Job} again and again, each tick exactly once in the cluster. Its
 * handler takes no arguments but an optional {@link JobContext}. Give either
 * {@link #cron()} or {@link #every()}. If the job is {@link Unique} as well, a tick is
 * skipped while any live job has its key, also one that was dispatched by hand.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Recurring {

	/**
	 * Value for {@link #cron()} or {@link #every()} that switches the job off. When it is
	 * switched on again, a tick that was due meanwhile counts as missed: see
	 * {@link #misfire()}.
	 */
	String OFF = "-";

	/**
	 * A Spring cron expression, with seconds: {@code "0 0 3 * * *"}. Placeholders are
	 * resolved; {@link #OFF} switches off.
	 * @return the expression, none by default
	 */
	String cron() default "";

	/**
	 * A fixed interval instead, such as {@code "5m"} or in ISO-8601. Placeholders are
	 * resolved; {@link #OFF} switches off. Due ticks are looked for about ten times a
	 * second; if the interval is shorter than that, some ticks are left out.
	 * @return the interval, none by default
	 */
	String every() default "";

	/**
	 * The time zone of {@link #cron()}. Placeholders are resolved.
	 * @return the zone, {@code "UTC"} by default, so that all processes agree
	 */
	String zone() default "UTC";

	/**
	 * What becomes of ticks that were missed while no process was running, or while the
	 * job was switched off. A tick counts as missed when it is more than 30 seconds late.
	 * @return {@link Misfire#ONCE} by default
	 */
	Misfire misfire() default Misfire.ONCE;

	/**
	 * Whether a tick is dispatched while the previous tick's job is still live.
	 * @return {@code false} by default: it is skipped
	 */
	boolean overlap() default false;

	/**
	 * What becomes of missed ticks.
	 */
	enum Misfire {

		/** One run makes up for all missed ticks. */
		ONCE,

		/** Missed ticks are left out. */
		SKIP

	}

}
