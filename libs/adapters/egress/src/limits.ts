/** The limits of the adapter; the caller of `send` sets those of a single exchange. */
export interface EgressLimits {
  /** Includes the look-up of the name, and TLS. */
  readonly connectMs: number;
  /** From the start of the request until the headers of its final response. */
  readonly firstByteMs: number;
  readonly responseHeaderBytesMax: number;
  readonly responseHeadersMax: number;
  /** The maximum number of responses with a status below 200 before the final one. */
  readonly interimResponsesMax: number;
  readonly inFlightPerOriginMax: number;
  readonly inFlightPerCallerMax: number;
  /** How long an unused connection stays open. */
  readonly idleMs: number;
  /** The maximum number of unused connections; the oldest one is closed first. */
  readonly idleConnectionsMax: number;
  /** Node resolves names in its thread pool of four threads, which it also uses for files and compression. */
  readonly lookupsMax: number;
}

export const egressLimits: EgressLimits = {
  connectMs: 5_000,
  firstByteMs: 20_000,
  responseHeaderBytesMax: 16_384,
  responseHeadersMax: 256,
  interimResponsesMax: 32,
  inFlightPerOriginMax: 16,
  inFlightPerCallerMax: 4,
  idleMs: 4_000,
  idleConnectionsMax: 256,
  lookupsMax: 2,
};

/** The suggested delay before a retry; an exchange is usually done much sooner. */
export const retryAfterSeconds = 1;

/**
 * Returns the maximum number of bytes that one exchange may receive. Chunks of one byte each are six times as long as
 * their content; everything beyond that is framing without content.
 */
export const receivedBytesMaxFor = (bodyBytesMax: number): number => 1_048_576 + 8 * bodyBytesMax;
