package io.gator.leads.imports;

/**
 * An import is through, and its report was printed.
 *
 * @param done the import
 */
record ImportThroughEvent(LeadImport done) {

}
