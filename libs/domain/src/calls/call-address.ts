import { PorticoError } from '../errors.ts';
import { originOf } from '../operations/origins.ts';

/**
 * Returns the origin of the address of a call. Throws `upstream_unreachable` if the address is not complete, and
 * `invalid_arguments` if servers may resolve its path to a different one.
 */
export const requireOrigin = (url: string): string => {
  const origin = /^https?:\/\/[^/?#@{}]+(?:[/?]|$)/i.test(url) ? originOf(url) : null;
  if (origin === null)
    throw new PorticoError('upstream_unreachable', {
      reason: 'the document names no complete address: an administrator of this catalog can set a base URL',
    });
  if (!hasDotSegment(url)) return origin;
  const message = 'must not contain the segment . or .. in the path, even encoded: it would lead to another operation';
  throw new PorticoError('invalid_arguments', { reason: message, errors: [{ pointer: '', message }] });
};

/**
 * Whether a server may resolve a segment of the path as relative: also one whose dots, slashes or backslashes are
 * encoded, once or twice, or that has parameters or an encoded query or fragment.
 */
const hasDotSegment = (url: string): boolean => {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  return path
    .replace(/%(?:25)*2e/gi, '.')
    .split(/\/|\\|%(?:25)*2f|%(?:25)*5c/i)
    .some((segment) => /^\.\.?(?:$|;|%(?:25)*(?:3b|3f|23))/i.test(segment));
};

/** Headers with which some servers replace the method or the path of a request. */
const overridingHeaders: ReadonlySet<string> = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);

/** Throws `invalid_arguments` for a header that could turn the request into one to another operation. */
export const rejectOverrides = (headers: readonly (readonly [name: string, value: string])[]): void => {
  for (const [name] of headers) {
    if (!overridingHeaders.has(name.toLowerCase())) continue;
    const message = `must not contain the header ${name}: it could lead to another operation`;
    throw new PorticoError('invalid_arguments', { reason: message, errors: [{ pointer: '', message }] });
  }
};
