/** Nobody whom this process trusts vouches for the certificate (codes of OpenSSL, as Node gives them). */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What went wrong, in words; where TLS is wanted also what an operator can do about it. */
export const problemOf = (error: unknown, tls: boolean): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || error.name;
  if (!tls || !('code' in error) || typeof error.code !== 'string') return message;
  if (untrusted.has(error.code)) {
    return `its certificate is not trusted: ${error.code} (name an authority of your own in NODE_EXTRA_CA_CERTS)`;
  }
  // A Redis that speaks no TLS waits for the end of what it takes for a command.
  if (error.code === 'ETIMEDOUT') return `${message} (a server without TLS is named by redis://)`;
  return message;
};
