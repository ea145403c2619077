import type { SignInWay } from '@portico/composition';

/**
 * Returns the origins that a browser connects to for signing in, sorted and without duplicates. The result always
 * includes the configured issuer's own origin, so that signing in usually works even before the issuer's `endpoints`
 * are known, but never includes this service's origin.
 */
export const signInOriginsOf = (ways: readonly SignInWay[], endpoints: readonly string[]): readonly string[] => {
  const addresses = ways.flatMap((way) => {
    if (way.kind === 'firebase') return [way.signInUrl, way.tokenUrl];
    return way.kind === 'oidc' ? [way.issuer, way.metadataUrl, ...endpoints] : [];
  });
  return [...new Set(addresses.flatMap(originsOf))].toSorted();
};

/**
 * Returns the origin of an address. Returns an empty list for a text that browsers cannot fetch: an address with a
 * different scheme, such as a mobile app's, or no address at all.
 */
const originsOf = (address: string): readonly string[] => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? [url.origin] : [];
};
