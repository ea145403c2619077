import type { SignInWay } from '@portico/composition';

/**
 * Returns the origins that a browser connects to for signing in, sorted and without duplicates. They always include the
 * configured issuer's own, so that signing in mostly works before its `endpoints` are known, but never this service's.
 */
export const signInOriginsOf = (ways: readonly SignInWay[], endpoints: readonly string[]): readonly string[] => {
  const addresses = ways.flatMap((way) => {
    if (way.kind === 'firebase') return [way.signInUrl, way.tokenUrl];
    return way.kind === 'oidc' ? [way.issuer, way.metadataUrl, ...endpoints] : [];
  });
  return [...new Set(addresses.flatMap(originsOf))].toSorted();
};

/** Empty for a text that browsers cannot fetch: another scheme, such as a mobile app's, or no address at all. */
const originsOf = (address: string): readonly string[] => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? [url.origin] : [];
};
