/** The scopes of service accounts (extensions, section 4). */
export const scopeNames = [
  'catalog:read',
  'catalog:write',
  'access:read',
  'access:write',
  'audit:read',
  'usage:read',
  'limits:write',
] as const;

export type ScopeName = (typeof scopeNames)[number];

/** What a service account must hold for an endpoint. Those that are not here take none, whatever its scopes. */
const scopes: Readonly<Record<string, ScopeName>> = {
  'GET /api/collections/': 'catalog:read',
  'GET /api/collections/{collection_id}': 'catalog:read',
  'GET /api/collections/{collection_id}/openapi.json': 'catalog:read',
  'GET /api/collections/{collection_id}/openapi.yaml': 'catalog:read',
  'GET /api/collections/{collection_id}/operations': 'catalog:read',
  'GET /api/collections/{collection_id}/operations/{operation_key}': 'catalog:read',
  'POST /api/operations/search': 'catalog:read',
  'POST /api/vector/search': 'catalog:read',
  'GET /api/vector/reindex': 'catalog:read',
  'POST /api/collections/': 'catalog:write',
  'PUT /api/collections/{collection_id}': 'catalog:write',
  'DELETE /api/collections/{collection_id}': 'catalog:write',
  'POST /api/vector/reindex': 'catalog:write',
  'GET /api/profiles/': 'access:read',
  'GET /api/access/clients/{client_profile_id}/collections': 'access:read',
  'GET /api/access/collections/{collection_id}/clients': 'access:read',
  'POST /api/access/clients/{client_profile_id}/collections/{collection_id}': 'access:write',
  'DELETE /api/access/clients/{client_profile_id}/collections/{collection_id}': 'access:write',
  'GET /api/audit/': 'audit:read',
  'GET /api/audit/export': 'audit:read',
  'GET /api/usage': 'usage:read',
  'GET /api/rate-limits/tiers': 'limits:write',
  'GET /api/rate-limits/tiers/active/all': 'limits:write',
  'POST /api/rate-limits/tiers': 'limits:write',
  'PUT /api/rate-limits/tiers/{tier}': 'limits:write',
  'DELETE /api/rate-limits/tiers/{tier}': 'limits:write',
  'GET /api/rate-limits/overrides': 'limits:write',
  'POST /api/rate-limits/overrides': 'limits:write',
  'PUT /api/rate-limits/overrides/{id}': 'limits:write',
  'DELETE /api/rate-limits/overrides/{id}': 'limits:write',
  'GET /api/rate-limits/effective/{client_id}': 'limits:write',
  'PUT /api/profiles/{user_id}/tier': 'limits:write',
};

/** Null if the endpoint, `METHOD /path`, takes no service account. */
export const scopeFor = (endpoint: string): ScopeName | null => scopes[endpoint] ?? null;
