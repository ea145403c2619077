import type { SignInWay } from '@portico/composition';

/** The part of the configuration that concerns HTTP. */
export interface HttpSettings {
  /** The `service` field of `GET /health`. */
  readonly serviceName: string;
  /** The version of the service, such as `0.1.0`; shown in its OpenAPI document and metrics. */
  readonly version: string;
  /** Whether this process calls APIs; `only`: it serves nothing else. */
  readonly calls: 'off' | 'on' | 'only';
  /** The maximum size of a request body. */
  readonly bodyLimitBytes: number;
  /** The maximum size of a request body with an `openapi_spec`. */
  readonly specBodyLimitBytes: number;
  /** The address that the service listens on. */
  readonly host: string;
  readonly trustProxy: TrustedProxies;
  /** The URL that callers use to reach the service; null if it is not known. */
  readonly publicUrl: string | null;
  /**
   * The audience of access tokens, which is an absolute URL, their issuer, and the scopes that clients should request;
   * null if none are accepted.
   */
  readonly accessTokens: {
    readonly resource: string;
    readonly issuer: string;
    readonly scopes: readonly string[];
  } | null;
  /** The ways to sign in to the console; the first is the default. */
  readonly signInWays: readonly SignInWay[];
}

/**
 * The proxies whose `X-Forwarded-For` header is trusted: their addresses or CIDR ranges, or the number of proxies in
 * front of the service; null to trust none.
 */
export type TrustedProxies = readonly string[] | number | null;
