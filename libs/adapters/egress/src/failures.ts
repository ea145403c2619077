import { PorticoError } from '@portico/domain';
import type { Refusal } from './address-policy.ts';

/** Errors of the adapter. No reason contains a part of the request or of the response. */
export const unreachable = (reason: string, cause?: unknown): PorticoError =>
  new PorticoError('upstream_unreachable', {
    reason,
    ...(cause === undefined ? {} : { cause: withoutContent(cause) }),
  });

export const timedOut = (reason: string): PorticoError => new PorticoError('upstream_timed_out', { reason });

const refusalReasons: Readonly<Record<Refusal, string>> = {
  metadata: 'its address is that of a metadata service, which is never allowed',
  private: 'its address is in a private or reserved network: the operator can allow it with CALL_NETWORKS',
  plain: 'its URL has no TLS: use https, or the operator can allow its network with CALL_NETWORKS',
};

export const refused = (refusal: Refusal): PorticoError => unreachable(refusalReasons[refusal]);

const certificateAdvice = 'check its certificate, or add its authority with NODE_EXTRA_CA_CERTS';

/** Reasons by the codes of Node, OpenSSL and undici. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not exist: check the address of the API',
  EAI_AGAIN: 'its name could not be resolved: check the DNS server',
  EAI_FAIL: 'its name could not be resolved: check the DNS server',
  ECONNREFUSED: 'the connection was refused: check that the API runs, and its port',
  ENETUNREACH: 'there is no route to its address: check the network',
  EHOSTUNREACH: 'there is no route to its address: check the network',
  EADDRNOTAVAIL: 'there is no route to its address: check the network',
  ETIMEDOUT: 'its address does not respond: check the network',
  ECONNRESET: 'it reset the connection',
  EPIPE: 'it closed the connection before it responded',
  UND_ERR_SOCKET: 'it closed the connection before the response was complete, or sent an unexpected response',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its response are too long',
  // also for invalid headers after a Content-Length
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'its response does not follow HTTP/1.1, or its body is not as long as its Content-Length',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed: ${certificateAdvice}`,
  SELF_SIGNED_CERT_IN_CHAIN: `the authority of its certificate is not trusted: ${certificateAdvice}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the authority of its certificate is not trusted: ${certificateAdvice}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the authority of its certificate is not trusted: ${certificateAdvice}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name: check the address of the API',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS on this port: check the protocol and port of the API',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use TLS on this port: check the protocol and port of the API',
};

/** Translates an error of Node or undici; a `PorticoError` stays as it is. */
export const toPorticoError = (error: unknown): PorticoError => {
  if (error instanceof PorticoError) return error;
  const code = codeOf(error) ?? '';
  // undici's parser errors have no code of their own.
  if ((error as Error | null)?.name === 'HTTPParserError')
    return unreachable('its response does not follow HTTP/1.1', error);
  if (code.startsWith('ERR_SSL_')) {
    return unreachable(reasons[code] ?? 'the TLS handshake failed: check the TLS versions of the API', error);
  }
  return unreachable(reasons[code] ?? 'the connection failed', error);
};

const codeOf = (error: unknown): string | null => {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
};

/**
 * Returns an error with the name, code and system call of the original one. Messages and other properties can contain
 * parts of a request or response: undici's parser errors have the rest of the response, which may repeat a secret.
 */
const withoutContent = (error: unknown): Error => {
  const { name, syscall } = error as { readonly name?: unknown; readonly syscall?: unknown };
  const words = [codeOf(error), syscall].filter((word) => typeof word === 'string');
  const cause = new Error(words.join(' in ') || 'unknown');
  if (typeof name === 'string') cause.name = name;
  return cause;
};
