/**
 * Whether the client accepts gzip and does not prefer an uncompressed body (RFC 9110, section 12.5.3). Does not use
 * the package `negotiator`, which does not support `x-gzip` and treats an invalid weight as the highest.
 */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean => {
  if (acceptEncoding === undefined) return false;
  // Most clients send the same header as the previous one.
  if (acceptEncoding !== lastHeader.header)
    lastHeader = { header: acceptEncoding, accepts: parseAcceptsGzip(acceptEncoding) };
  return lastHeader.accepts;
};

let lastHeader = { header: '', accepts: false };

const parseAcceptsGzip = (acceptEncoding: string): boolean => {
  let gzip: number | null = null;
  let wildcard: number | null = null;
  let identity: number | null = null;
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (coding === 'gzip' || coding === 'x-gzip') gzip = weight;
    else if (coding === '*') wildcard = weight;
    else if (coding === 'identity') identity = weight;
  }
  const weight = gzip ?? wildcard ?? 0;
  return weight > 0 && weight >= (identity ?? 0);
};

/**
 * Whether the client requests CSV and does not prefer JSON (RFC 9110, section 12.5.1). Wildcards do not count: a client
 * that accepts anything gets JSON.
 */
export const prefersCsv = (accept: string | undefined): boolean => {
  const weights = new Map<string, number>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [mediaType = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(mediaType, weightOf(parameters));
  }
  const csvWeight = weights.get('text/csv') ?? 0;
  return csvWeight > 0 && csvWeight >= (weights.get('application/json') ?? 0);
};

/** Returns the weight of an item; an invalid weight counts as 0. */
const weightOf = (parameters: readonly string[]): number => {
  const qValue = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (qValue === undefined) return 1;
  const value = qValue.slice(qValue.indexOf('=') + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
};

/**
 * Whether `If-None-Match` lists this entity tag, by weak comparison (RFC 9110, section 13.1.2). Does not use the package `fresh`,
 * which splits tags at commas and never allows a 304 for a reload.
 */
export const matchesIfNoneMatch = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === etag) return true;
  return false;
};

/**
 * Whether `If-Match` lists one of these entity tags, by strong comparison (RFC 9110, section 13.1.1): a weak tag never
 * matches. A malformed list does not match either, so that the guarded change is not made.
 */
export const matchesIfMatch = (ifMatch: string, etags: readonly string[]): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => etags.includes(tag.trim()));
