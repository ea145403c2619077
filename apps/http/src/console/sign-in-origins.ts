import type { SignInWay } from '@portico/composition';

/**
 * Returns the origins that a browser connects to for signing in, sorted and without duplicates. The result always
 * includes the configured issuer's own origin, so that signing in usually works even before the issuer's `endpoints`
 * are known, but never includes this service's origin.
 */
export const signInOriginsOf = (ways: readonly SignInWay[], endpoints: readonly string[]): readonly string[] => {
  const urls = ways.flatMap((way) => {
    if (way.kind === 'firebase') return [way.signInUrl, way.tokenUrl];
    return way.kind === 'oidc' ? [way.issuer, way.metadataUrl, ...endpoints] : [];
  });
  return [...new Set(urls.flatMap(originsOf))].toSorted();
};

/**
 * Returns the origin of a URL. Returns an empty list for a text that browsers cannot fetch: a URL with a different
 * scheme, such as a mobile app's, or a text that is not a URL.
 */
const originsOf = (text: string): readonly string[] => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? [url.origin] : [];
};
