/**
 * Returns the result for a server that is unavailable: null, so that its tests are skipped, counted and listed. If
 * REQUIRE_SERVICES is 1, a skip would hide a fault, so an error that names what to install is thrown instead.
 */
export function skipUnlessRequired(server: string, remedy: string): null {
  if (process.env['REQUIRE_SERVICES'] === '1') {
    throw new Error(`${server} is required (REQUIRE_SERVICES=1) but unavailable: ${remedy}.`);
  }
  return null;
}
