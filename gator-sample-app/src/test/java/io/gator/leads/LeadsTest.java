package io.gator.leads;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;

/**
 * A test of the whole application on its embedded servers, with short waits.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(properties = { "leads.import-at-start=false", "leads.follow-up-after=200ms", "leads.rank-after=200ms",
		"leads.payment-grace=200ms", "leads.mail-retry-interval=100ms", "leads.marketing-wait=200ms",
		"leads.marketing-retry-interval=100ms", "leads.stock-every=-" })
@AutoConfigureMockMvc
public @interface LeadsTest {

}
