/**
 * The Content-Security-Policy of the console's page. It loads only what this service serves, and talks to this service
 * and `signInOrigins` alone: for tokens (`connect-src`), and in the frame that renews a sign-in (`frame-src`). Whatever
 * is not the origin of an http or https address is left out, since a policy is a header whose parts `;` and `,` separate.
 */
export const consolePolicy = (signInOrigins: readonly string[]): string => {
  const allowed = ["'self'", ...signInOrigins.filter(isOrigin)].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${allowed}`,
    `frame-src ${allowed}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** A host as a policy spells it (CSP Level 3, section 2.3.1): letters, digits, `-` and `.`; no IPv6, no wildcard. */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.origin === text && /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/.test(text);
};
