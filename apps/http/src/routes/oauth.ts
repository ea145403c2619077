import { PorticoError } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute, type ProtectedResource } from '../route.ts';
import type { HttpSettings } from '../settings.ts';

const wellKnownPath = '/.well-known/oauth-protected-resource';

const protectedResource = z
  .object({
    resource: z.url().meta({ description: 'The audience of access tokens: the MCP endpoint.' }),
    resource_name: z.string(),
    authorization_servers: z.array(z.url()).meta({ description: 'The issuer of the access tokens.' }),
    scopes_supported: z.array(z.string()).meta({ description: 'The scopes that clients should request.' }),
    bearer_methods_supported: z.array(z.enum(['header'])),
  })
  .meta({ id: 'ProtectedResource' });

export const oauthRoutes = [
  defineRoute({
    method: 'GET',
    path: `${wellKnownPath}/mcp`,
    operation: 'readProtectedResource',
    summary: 'Where to get an access token for the MCP endpoint',
    description:
      'OAuth 2.0 protected resource metadata (RFC 9728). The scopes are for the issuer: this service requires none.',
    requiresAccessTokens: true,
    auth: 'free',
    status: 200,
    response: protectedResource,
    handler: ({ service }) => {
      if (!service.protectedResource) throw new PorticoError('not_found');
      return toJsonResponse(service.protectedResource.metadata);
    },
  }),
] as const;

/** Returns the metadata about access tokens for clients; null if none are accepted. */
export const protectedResourceOf = ({
  accessTokens,
  serviceName,
}: Pick<HttpSettings, 'accessTokens' | 'serviceName'>): ProtectedResource | null => {
  if (!accessTokens) return null;
  const { resource, issuer, scopes } = accessTokens;
  // The well-known part precedes the path of the resource (RFC 9728, section 3.1).
  const { origin, pathname } = new URL(resource);
  return {
    challenge: `Bearer resource_metadata="${origin}${wellKnownPath}${pathname}", scope="${scopes.join(' ')}"`,
    metadata: {
      resource,
      resource_name: serviceName,
      authorization_servers: [issuer],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
    },
  };
};
