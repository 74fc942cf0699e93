package io.gator.leads.imports;

/**
 * A file was taken in by this process.
 *
 * @param id the id of the import
 */
record ImportTakenEvent(long id) {

}
