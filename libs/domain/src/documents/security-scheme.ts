import type { AuthenticationScheme } from '../collections/collection.ts';

/** The type of a security scheme; `http` is an HTTP scheme other than bearer and basic, `unknown` cannot be read. */
export type SecuritySchemeType =
  'apiKey' | 'bearer' | 'basic' | 'oauth2' | 'openIdConnect' | 'mutualTLS' | 'http' | 'unknown';

/** A security scheme of a document. */
export interface SecurityScheme {
  /** The name in `components.securitySchemes`. */
  readonly name: string;
  readonly type: SecuritySchemeType;
  /** How calls that use this scheme authenticate, as derived for a collection whose first scheme it is. */
  readonly authentication: AuthenticationScheme;
}
