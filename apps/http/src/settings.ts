/** The part of the configuration that concerns HTTP. */
export interface HttpSettings {
  /** The `service` of `GET /health`. */
  readonly serviceName: string;
  /** The version of the service, such as `0.1.0`; shown in its OpenAPI document and metrics. */
  readonly version: string;
  /** The largest request body. */
  readonly bodyLimitBytes: number;
  /** The largest request body with an `openapi_spec`. */
  readonly specBodyLimitBytes: number;
  readonly trustProxy: TrustedProxies;
}

/**
 * The proxies whose `X-Forwarded-For` is trusted: their addresses or CIDR ranges, or their number in front of the
 * service; null to trust none.
 */
export type TrustedProxies = readonly string[] | number | null;
