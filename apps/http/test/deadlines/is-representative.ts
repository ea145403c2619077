import type { Row } from '../matrix/request.ts';

const names: ReadonlySet<string> = new Set([
  'POST /api/profiles/register',
  'POST /api/profiles/{user_id}/approve',
  'DELETE /api/profiles/{user_id}',
  'POST /api/service-accounts',
  'PUT /api/service-accounts/{account_id}',
  'DELETE /api/service-accounts/{account_id}',
  'POST /api/collections/',
  'PUT /api/collections/{collection_id}',
  'GET /api/collections/{collection_id}/metadata',
  'POST /api/access/clients/{client_profile_id}/collections/{collection_id}',
  'POST /api/access/grants',
  'POST /api/profiles/approve',
  'POST /api/profiles/{user_id}/suspend',
  'POST /api/access/requests',
  'POST /api/access/requests/{request_id}/approve',
  'PUT /api/rate-limits/tiers/{tier}',
  'POST /api/rate-limits/overrides',
  'POST /api/audit/',
  'POST /api/vector/reindex',
  'POST /api/vector/search',
]);

/** Selects at least one request for each kind of store change, as a sample for stores with slow requests. */
export const isRepresentative = ({ name }: Row): boolean => names.has(name);
