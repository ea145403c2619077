/**
 * Returns the Content-Security-Policy of the console's page. The page may load files only from this service, and may
 * connect only to this service and `signInOrigins`: for tokens (`connect-src`), and in the frame that renews a sign-in
 * (`frame-src`). Any text that is not the origin of an http or https URL is omitted, because `;` and `,` separate
 * parts of a policy.
 */
export const createConsolePolicy = (signInOrigins: readonly string[]): string => {
  const allowedSources = ["'self'", ...signInOrigins.filter(isOrigin)].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${allowedSources}`,
    `frame-src ${allowedSources}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/**
 * Whether a text is an origin whose host a policy can contain (CSP Level 3, section 2.3.1): letters, digits, `-` and
 * `.`, but no IPv6 addresses and no wildcards.
 */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.origin === text && /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/.test(text);
};
