import type { SignInWay } from '@portico/composition';

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
  /** The address under which callers reach the service, if it is known. */
  readonly publicUrl: string | null;
  /** The audience of access tokens, an absolute address, and their issuer; null if none are accepted. */
  readonly accessTokens: { readonly resource: string; readonly issuer: string } | null;
  /** How people sign in at the console; the first is the default. */
  readonly signInWays: readonly SignInWay[];
}

/**
 * The proxies whose `X-Forwarded-For` is trusted: their addresses or CIDR ranges, or their number in front of the
 * service; null to trust none.
 */
export type TrustedProxies = readonly string[] | number | null;
