/** What of the configuration the HTTP side goes by. */
export interface HttpSettings {
  /** The `service` of `GET /health`. */
  readonly serviceName: string;
  /** Of the service itself, such as `0.1.0`; in its OpenAPI document and among its measurements. */
  readonly version: string;
  /** The longest body of a request, in bytes. */
  readonly bodyLimitBytes: number;
  /** The longest body where an `openapi_spec` travels, in bytes. */
  readonly specBodyLimitBytes: number;
  readonly trustProxy: TrustedProxies;
}

/**
 * Whose `X-Forwarded-For` counts: the addresses or CIDR ranges of proxies, the number of proxies in front of the service,
 * or null for nobody's.
 */
export type TrustedProxies = readonly string[] | number | null;
