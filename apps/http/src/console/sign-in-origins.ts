import type { SignInWay } from '@portico/composition';

/**
 * Returns the origins that a browser talks to for signing in, sorted, each once. The configured issuer's own is always
 * among them, so that signing in mostly works before its `endpoints` are known. Those of this service are not.
 */
export const signInOriginsOf = (ways: readonly SignInWay[], endpoints: readonly string[]): readonly string[] => {
  const addresses = ways.flatMap((way) => {
    if (way.kind === 'firebase') return [way.signInUrl, way.tokenUrl];
    return way.kind === 'oidc' ? [way.issuer, way.metadataUrl, ...endpoints] : [];
  });
  return [...new Set(addresses.flatMap(originsOf))].toSorted();
};

/** Empty for what no browser fetches: another scheme, such as of a mobile application, or no address at all. */
const originsOf = (address: string): readonly string[] => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? [url.origin] : [];
};
