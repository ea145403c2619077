/**
 * Whether the client accepts gzip and does not prefer an uncompressed body (RFC 9110, section 12.5.3). Not by
 * `negotiator`, which does not know `x-gzip` and takes an invalid weight for the highest.
 */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean => {
  if (acceptEncoding === undefined) return false;
  // Most clients say what the one before said.
  if (acceptEncoding !== lastJudged.header)
    lastJudged = { header: acceptEncoding, accepts: judgedGzip(acceptEncoding) };
  return lastJudged.accepts;
};

let lastJudged = { header: '', accepts: false };

const judgedGzip = (acceptEncoding: string): boolean => {
  let gzip: number | null = null;
  let any: number | null = null;
  let identity: number | null = null;
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (coding === 'gzip' || coding === 'x-gzip') gzip = weight;
    else if (coding === '*') any = weight;
    else if (coding === 'identity') identity = weight;
  }
  const wanted = gzip ?? any ?? 0;
  return wanted > 0 && wanted >= (identity ?? 0);
};

/**
 * Whether the client asks for CSV and prefers it to JSON (RFC 9110, section 12.5.1). Both must be named: a client that
 * takes anything gets JSON.
 */
export const prefersCsv = (accept: string | undefined): boolean => {
  const weights = new Map<string, number>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [media = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(media, weightOf(parameters));
  }
  const wanted = weights.get('text/csv') ?? 0;
  return wanted > 0 && wanted >= (weights.get('application/json') ?? 0);
};

/** An invalid weight counts as 0. */
const weightOf = (parameters: readonly string[]): number => {
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return 1;
  const value = given.slice(given.indexOf('=') + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
};

/**
 * Whether `If-None-Match` lists this entity tag, by weak comparison (RFC 9110, section 13.1.2). Not by `fresh`, which
 * splits tags at commas and never returns 304 to a reload.
 */
export const namesEtag = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === etag) return true;
  return false;
};

/**
 * Whether `If-Match` lists one of these entity tags, by strong comparison (RFC 9110, section 13.1.1): a weak one names
 * none. What is no list of tags names none either, so that the change that it guards is not made.
 */
export const listsEtag = (ifMatch: string, etags: readonly string[]): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => etags.includes(tag.trim()));
