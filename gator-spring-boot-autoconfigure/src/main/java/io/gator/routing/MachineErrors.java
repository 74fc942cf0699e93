package io.gator.routing;

/**
 * Tells the errors of accessors, whose classes may be broken, from those of the virtual
 * machine, which have nothing to do with the value that is written.
 */
final class MachineErrors {

	private MachineErrors() {
	}

	/**
	 * Throw an error of the virtual machine again.
	 * @param failure what writing a value has thrown
	 */
	static void rethrow(Throwable failure) {
		// A stack overflow comes from the value: it is nested too deeply or contains
		// itself.
		if (failure instanceof VirtualMachineError error && !(failure instanceof StackOverflowError)) {
			throw error;
		}
	}

}
