package io.gator.routing;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

import io.gator.Job;
import io.gator.JobContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * A job as the engine sees it: its name, its rules and the prepared call of its handler.
 * Immutable, except for the bean, which it fetches at the first call.
 */
public final class Route {

	private final JobBean bean;

	private final Settings settings;

	private final Arguments arguments;

	private final Call handler;

	private final @Nullable Call onDead;

	private final JavaType returnType;

	Route(JobBean bean, Settings settings, Arguments arguments, Call handler, @Nullable Call onDead,
			JavaType returnType) {
		this.bean = bean;
		this.settings = settings;
		this.arguments = arguments;
		this.handler = handler;
		this.onDead = onDead;
		this.returnType = returnType;
	}

	/**
	 * The name that new rows get.
	 * @return the name
	 */
	public String name() {
		return this.settings.name();
	}

	/**
	 * Former names.
	 * @return the aliases, without the name itself
	 */
	public Set<String> aliases() {
		return this.settings.aliases();
	}

	/**
	 * All names that rows of this job may have.
	 * @return the name and its aliases
	 */
	public Set<String> names() {
		Set<String> names = new LinkedHashSet<>();
		names.add(name());
		names.addAll(aliases());
		return names;
	}

	/**
	 * The class annotated with {@link Job}, behind any proxy.
	 * @return the class
	 */
	Class<?> jobClass() {
		return this.bean.type();
	}

	/**
	 * The name of the bean.
	 * @return the name
	 */
	public String beanName() {
		return this.bean.name();
	}

	/**
	 * The queue of dispatches that name none.
	 * @return the queue
	 */
	public String queue() {
		return this.settings.queue();
	}

	/**
	 * What follows a failure.
	 * @return the rule
	 */
	public RetryRule retry() {
		return this.settings.retry();
	}

	/**
	 * How long an attempt may take.
	 * @return the time-out, or {@code null}
	 */
	public @Nullable Duration timeout() {
		return this.settings.timeout();
	}

	/**
	 * Whether the handler and its success are one transaction.
	 * @return {@link Job#transactional()}
	 */
	public boolean transactional() {
		return this.settings.transactional();
	}

	/**
	 * How items are gathered.
	 * @return the specification, or {@code null} if the job is not buffered
	 */
	public @Nullable BufferSpec buffered() {
		return this.settings.buffered();
	}

	/**
	 * When the job ticks.
	 * @return the specification, or {@code null} if the job is not recurring, or its
	 * ticks are switched off
	 */
	public @Nullable RecurringSpec recurring() {
		return this.settings.recurring();
	}

	/**
	 * What makes a dispatch the same as another.
	 * @return the specification, or {@code null} if the job is not unique
	 */
	public @Nullable UniqueSpec unique() {
		return this.settings.unique();
	}

	/**
	 * How many arguments a dispatch takes: 1 for a buffered job, which is the item.
	 * @return the number
	 */
	public int argCount() {
		return this.arguments.count();
	}

	/**
	 * Whether the handler returns nothing.
	 * @return {@code true} for {@code void}
	 */
	boolean isVoid() {
		return this.handler.isVoid();
	}

	/**
	 * What the handler declares to return.
	 * @return the type
	 */
	JavaType returnType() {
		return this.returnType;
	}

	/**
	 * Whether there is a method to call when the retries are exhausted.
	 * @return whether {@link #invokeOnDead} does something
	 */
	public boolean hasOnDead() {
		return this.onDead != null;
	}

	/**
	 * Whether the method for dead jobs needs arguments of the handler.
	 * @return {@code false} if {@link #invokeOnDead} works with any arguments
	 */
	public boolean onDeadTakesArguments() {
		return this.onDead != null && this.onDead.takesArguments();
	}

	/**
	 * Call the handler.
	 * @param args what {@link ArgsCodec#decode} returned; for a buffered job one
	 * argument, the {@code List} of the items, or a {@code JobBatch} of them for
	 * {@link BufferSpec#partial()}
	 * @param context the attempt
	 * @return what the handler returned, {@code null} for {@code void}
	 * @throws Throwable what the handler threw, as it is
	 */
	public @Nullable Object invoke(@Nullable Object[] args, JobContext context) throws Throwable {
		return this.handler.invoke(args, null, context);
	}

	/**
	 * Call the method for dead jobs, if there is one.
	 * @param args what {@link ArgsCodec#decode} returned; for a buffered job one
	 * argument, the list of the dead items
	 * @param error what the last attempt ended with
	 * @param context the attempt
	 * @throws Throwable what the method threw, as it is
	 */
	public void invokeOnDead(@Nullable Object[] args, Throwable error, JobContext context) throws Throwable {
		if (this.onDead != null) {
			this.onDead.invoke(args, error, context);
		}
	}

	/**
	 * Tell whether this job may follow another in a chain: it takes what that returns,
	 * the same arguments, or none.
	 * @param predecessor the job before it
	 * @return {@code false} if it certainly cannot
	 */
	public boolean mayFollow(Route predecessor) {
		if (argCount() == 0 || mayTakeResultOf(predecessor)) {
			return true;
		}
		if (argCount() != predecessor.argCount()) {
			return false;
		}
		for (int i = 0; i < argCount(); i++) {
			if (!this.arguments.get(i).mayTake(predecessor.arguments.get(i).type())) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Tell whether this job may take what another returns.
	 * @param predecessor the job before it in a chain
	 * @return {@code false} if it certainly cannot, or takes other than one argument
	 */
	public boolean mayTakeResultOf(Route predecessor) {
		// The result of a batch belongs to none of its items.
		return argCount() == 1 && !predecessor.isVoid() && predecessor.buffered() == null
				&& this.arguments.get(0).mayTake(predecessor.returnType);
	}

	/**
	 * Tell why this job cannot read the arguments of another.
	 * @param other the job that they were given to
	 * @return the reason; {@code null} if they may fit, or if this job takes none
	 */
	public @Nullable String whyNotArgumentsOf(Route other) {
		if (argCount() == 0) {
			return null;
		}
		if (argCount() != other.argCount()) {
			return "its handler takes %s, and that of '%s' takes %s".formatted(count(this), other.name(), count(other));
		}
		for (int i = 0; i < argCount(); i++) {
			Argument own = this.arguments.get(i);
			Argument given = other.arguments.get(i);
			if (!own.mayRead(given.type())) {
				return "%s of its handler is %s, and that of '%s' is %s".formatted(own, own.typeName(), other.name(),
						given.typeName());
			}
		}
		return null;
	}

	private static String count(Route route) {
		return route.argCount() + ((route.argCount() == 1) ? " argument" : " arguments");
	}

	@Override
	public String toString() {
		return "job '" + name() + "' of " + this.bean;
	}

	Arguments arguments() {
		return this.arguments;
	}

	/**
	 * Fetch the bean and prepare the calls and the policy, if the bean exists already.
	 * @throws InvalidJobException if the bean is a proxy through which a method cannot be
	 * called, or if the retry policy cannot be created
	 */
	void prepare() {
		if (this.bean.exists()) {
			this.settings.retry().prepare();
			this.handler.prepare();
			if (this.onDead != null) {
				this.onDead.prepare();
			}
		}
	}

	/**
	 * What the annotations say.
	 */
	record Settings(String name, Set<String> aliases, String queue, RetryRule retry, @Nullable Duration timeout,
			boolean transactional, @Nullable BufferSpec buffered, @Nullable RecurringSpec recurring,
			@Nullable UniqueSpec unique) {

	}

}
