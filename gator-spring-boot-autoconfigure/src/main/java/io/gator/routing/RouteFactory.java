package io.gator.routing;

import java.lang.annotation.Annotation;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.Recurring;
import io.gator.RetryWith;
import io.gator.Unique;
import io.gator.routing.Route.Settings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.support.CronExpression;

/**
 * Makes a route of a bean's class: reads the annotations, and refuses what cannot work.
 */
final class RouteFactory {

	private static final Logger logger = LoggerFactory.getLogger(RouteFactory.class);

	private static final int MAX_SIZE = 10_000;

	private static final Duration LONG_WAIT = Duration.ofHours(1);

	private final Texts texts;

	private final ArgsCodec codec;

	private final RetryRules retryRules;

	RouteFactory(ConfigurableListableBeanFactory beanFactory, Texts texts, ArgsCodec codec, RetryDefaults defaults) {
		this.texts = texts;
		this.codec = codec;
		this.retryRules = new RetryRules(beanFactory, texts, defaults);
	}

	Route create(JobBean bean) {
		MergedAnnotations annotations = MergedAnnotations.from(bean.type(), SearchStrategy.TYPE_HIERARCHY);
		Handler handler = Handler.find(bean, this.codec, annotations.isPresent(Buffered.class));
		handler.parameters().forEach((parameter) -> checkType(bean, parameter));
		Job job = annotations.get(Job.class).synthesize();
		BufferSpec buffered = buffered(bean, annotations, handler, job);
		Settings settings = new Settings(name(bean, job), aliases(bean, job), queue(bean, job),
				this.retryRules.create(bean, find(annotations, RetryWith.class)), timeout(bean, job),
				job.transactional(), buffered, recurring(bean, annotations, handler),
				unique(bean, annotations, handler));
		return new Route(bean, settings, this.codec.arguments(handler.parameters(), buffered == null), handler.call(),
				OnDeadMethod.find(bean, this.codec, handler, buffered != null), handler.returnType());
	}

	private void checkType(JobBean bean, HandlerParameter parameter) {
		try {
			this.codec.check(parameter.type());
		}
		catch (JacksonException ex) {
			throw new InvalidJobException(
					"The handler of the %s takes %s, which cannot be written as JSON and read back: %s".formatted(bean,
							Argument.nameOf(parameter.type()), ex.getOriginalMessage()),
					"Take another type or annotate this one for Jackson; polymorphic types need "
							+ "@JsonTypeInfo(use = Id.NAME) and @JsonSubTypes, because a row must not choose a class.",
					ex);
		}
	}

	private static String name(JobBean bean, Job job) {
		if (!job.name().isEmpty()) {
			return Texts.name("The name of " + bean, job.name());
		}
		String name = bean.type().getSimpleName();
		if (!Names.isValid(name)) {
			throw new InvalidJobException(
					"The %s has the simple class name '%s', which cannot be the name of a job.".formatted(bean, name),
					"Give the job a name of the form %s with @Job(name = \"…\").".formatted(Names.FORM));
		}
		return name;
	}

	private static Set<String> aliases(JobBean bean, Job job) {
		Set<String> aliases = new LinkedHashSet<>();
		for (String alias : job.aliases()) {
			aliases.add(Texts.name("An alias of " + bean, alias));
		}
		aliases.remove(name(bean, job));
		return Collections.unmodifiableSet(aliases);
	}

	private String queue(JobBean bean, Job job) {
		String place = "The queue of " + bean;
		return Texts.name(place, this.texts.resolve(place, job.queue()));
	}

	private @Nullable Duration timeout(JobBean bean, Job job) {
		String place = "The timeout of " + bean;
		String text = this.texts.resolve(place, job.timeout());
		return text.isEmpty() ? null : Texts.positiveDuration(place, text);
	}

	private @Nullable BufferSpec buffered(JobBean bean, MergedAnnotations annotations, Handler handler, Job job) {
		Buffered buffered = find(annotations, Buffered.class);
		if (buffered == null) {
			return null;
		}
		if (job.transactional()) {
			throw new InvalidJobException("The %s is both @Buffered and transactional.".formatted(bean),
					"Choose one: open a transaction in the handler of a @Buffered job, or remove @Buffered.");
		}
		check(buffered.size() >= 1 && buffered.size() <= MAX_SIZE, bean, "size", buffered.size(), "1 to " + MAX_SIZE);
		check(buffered.maxConcurrent() >= 1, bean, "maxConcurrent", buffered.maxConcurrent(), "1 or more");
		String key = buffered.key().isEmpty() ? null : buffered.key();
		JavaType item = handler.parameters().get(0).type();
		if (key != null && !this.codec.mayHaveProperty(item, key)) {
			throw new InvalidJobException("The key '%s' in @Buffered of %s is not a property of %s.".formatted(key,
					bean, Argument.nameOf(item)), "Name a property as it is called in JSON, or leave the key out.");
		}
		return new BufferSpec(buffered.size(), maxWait(bean, buffered), buffered.maxConcurrent(), key,
				handler.takesBatch());
	}

	private Duration maxWait(JobBean bean, Buffered buffered) {
		String place = "The maxWait in @Buffered of " + bean;
		Duration maxWait = Texts.duration(place, this.texts.resolve(place, buffered.maxWait()));
		if (maxWait.compareTo(LONG_WAIT) > 0) {
			logger.warn("{} is {}: a single item waits that long for others to come", place, maxWait);
		}
		return maxWait;
	}

	private static void check(boolean allowed, JobBean bean, String attribute, int value, String range) {
		if (!allowed) {
			throw new InvalidJobException("The %s in @Buffered of %s is %d.".formatted(attribute, bean, value),
					"Choose a %s of %s.".formatted(attribute, range));
		}
	}

	private @Nullable RecurringSpec recurring(JobBean bean, MergedAnnotations annotations, Handler handler) {
		Recurring recurring = find(annotations, Recurring.class);
		if (recurring == null) {
			return null;
		}
		if (!handler.parameters().isEmpty()) {
			throw new InvalidJobException(
					"The %s is @Recurring, but its handler takes arguments, which a tick does not have."
						.formatted(bean),
					"Let the handler take nothing, or only a JobContext.");
		}
		String cronPlace = "The cron expression of " + bean;
		String cron = this.texts.resolve(cronPlace, recurring.cron());
		String everyPlace = "The interval (every) of " + bean;
		String every = this.texts.resolve(everyPlace, recurring.every());
		if (cron.isEmpty() == every.isEmpty()) {
			throw new InvalidJobException(
					"The @Recurring of %s has %s.".formatted(bean,
							cron.isEmpty() ? "neither cron nor every" : "both cron and every"),
					"Give one of them; '%s' switches it off.".formatted(Recurring.OFF));
		}
		ZoneId zone = zone(bean, recurring);
		if (cron.equals(Recurring.OFF) || every.equals(Recurring.OFF)) {
			return null;
		}
		return new RecurringSpec(cron.isEmpty() ? null : cron(cronPlace, cron, zone),
				every.isEmpty() ? null : Texts.positiveDuration(everyPlace, every), zone, recurring.misfire(),
				recurring.overlap());
	}

	private static CronExpression cron(String place, String text, ZoneId zone) {
		CronExpression cron;
		try {
			cron = CronExpression.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobException(
					"%s is '%s', which is not a valid cron expression: %s".formatted(place, text, ex.getMessage()),
					"Give six fields, seconds first, such as '0 0 3 * * *' for three o'clock each night.");
		}
		if (cron.next(ZonedDateTime.now(zone)) == null) {
			throw new InvalidJobException("%s is '%s', a time that never comes.".formatted(place, text),
					"Give a date that exists, or '%s' to switch it off.".formatted(Recurring.OFF));
		}
		return cron;
	}

	private ZoneId zone(JobBean bean, Recurring recurring) {
		String place = "The zone in @Recurring of " + bean;
		String zone = this.texts.resolve(place, recurring.zone());
		try {
			return ZoneId.of(zone);
		}
		catch (DateTimeException ex) {
			throw new InvalidJobException("%s is '%s', which is not a time zone.".formatted(place, zone),
					"Give a zone such as 'UTC' or 'Europe/Paris'.");
		}
	}

	private static @Nullable UniqueSpec unique(JobBean bean, MergedAnnotations annotations, Handler handler) {
		Unique unique = find(annotations, Unique.class);
		if (unique == null) {
			return null;
		}
		List<Integer> positions = Arrays.stream(unique.args()).boxed().toList();
		int count = handler.parameters().size();
		for (int position : positions) {
			if (position < 0 || position >= count) {
				throw new InvalidJobException(
						"The @Unique of %s names argument %d, but its handler takes %d.".formatted(bean, position,
								count),
						"Count positions from 0, without a JobContext, or leave args out to take all arguments.");
			}
		}
		return new UniqueSpec(positions, unique.until() == Unique.Until.STARTED);
	}

	private static <A extends Annotation> @Nullable A find(MergedAnnotations annotations, Class<A> type) {
		MergedAnnotation<A> annotation = annotations.get(type);
		return annotation.isPresent() ? annotation.synthesize() : null;
	}

}
