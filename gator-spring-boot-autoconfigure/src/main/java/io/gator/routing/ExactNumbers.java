package io.gator.routing;

import java.math.BigDecimal;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.util.JsonParserDelegate;

/**
 * Reads numbers with all their digits also where no type says what they are, as in a
 * {@code Map<String, Object>}: such a number is a double if a double holds all its
 * digits, and otherwise a decimal.
 */
final class ExactNumbers extends JsonParserDelegate {

	ExactNumbers(JsonParser parser) {
		super(parser);
	}

	@Override
	public NumberTypeFP getNumberTypeFP() {
		return losesDigits() ? NumberTypeFP.BIG_DECIMAL : super.getNumberTypeFP();
	}

	@Override
	public Number getNumberValue() {
		return losesDigits() ? getDecimalValue() : super.getNumberValue();
	}

	// A number that is read twice is buffered in between, and its type is asked for only
	// at the second reading.
	@Override
	public Object getNumberValueDeferred() {
		return losesDigits() ? getDecimalValue() : super.getNumberValueDeferred();
	}

	private boolean losesDigits() {
		if (currentToken() != JsonToken.VALUE_NUMBER_FLOAT || isNaN()) {
			return false;
		}
		double value = getDoubleValue();
		return Double.isInfinite(value) || new BigDecimal(getString()).compareTo(BigDecimal.valueOf(value)) != 0;
	}

}
