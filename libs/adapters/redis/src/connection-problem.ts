/** OpenSSL's error codes, as reported by Node, for a certificate issued by an untrusted authority. */
const untrustedCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Describes the error and, for some errors, how an operator can fix it. */
export const problemOf = (error: unknown, tls: boolean): string => {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || error.name;
  if (!tls || !('code' in error) || typeof error.code !== 'string') return message;
  if (untrustedCodes.has(error.code)) {
    return `its certificate is not trusted: ${error.code} (set NODE_EXTRA_CA_CERTS to trust your own CA)`;
  }
  // A Redis server without TLS mistakes the handshake for an incomplete command, and waits for the rest of it.
  if (error.code === 'ETIMEDOUT') return `${message} (use redis:// for a server without TLS)`;
  return message;
};
