/** A request to an address that a document names. */
export interface EgressRequest {
  readonly method: string;
  /** Absolute, with the protocol `http` or `https`. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
}

export interface EgressOptions {
  /** The profile that the request is sent for: the number of its requests in flight is limited. */
  readonly caller: string;
  /** The timeout of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** The maximum length of the decoded body, in bytes; the rest is not read. */
  readonly bodyBytesMax: number;
}

export interface EgressResponse {
  readonly status: number;
  /** With names in lower case. A name can occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded. */
  readonly body: Uint8Array;
  /** Whether the body was longer than `bodyBytesMax`. */
  readonly isTruncated: boolean;
}

/**
 * The only way out to addresses that a document names. Follows no redirect, stores no cookie and repeats no request.
 * Connects only to addresses that were checked: never to a metadata service, and to a private network or without TLS
 * only if the operator's configuration allows that network.
 */
export interface Egress {
  /**
   * Sends a request, and returns the response with any status. Throws `invalid_arguments` if the method or a header is
   * not valid or belongs to the connection, `upstream_unreachable` if the address is not allowed or does not respond as
   * HTTP requires, `upstream_timed_out`, and `rate_limited` if too many requests of the caller or to the host are in
   * flight. None of the errors contains a part of the request.
   */
  send(request: EgressRequest, options: EgressOptions): Promise<EgressResponse>;
}
