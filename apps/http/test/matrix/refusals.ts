import { expect } from 'vitest';
import type { Reply } from '../reply.ts';

export interface Refusal {
  readonly status: number;
  readonly detail: string;
}

const refusal = (status: number, detail: string): Refusal => ({ status, detail });

/** The catalogue of details (specification, section 1). */
export const refusals = {
  invalidToken: refusal(401, 'Invalid or expired token'),
  tokenRequired: refusal(401, 'Identity token required'),
  invalidKey: refusal(401, 'Invalid API credentials'),
  adminRequired: refusal(403, 'Admin access required'),
  noServiceAccounts: refusal(403, 'Not available to service accounts'),
  noAccess: refusal(403, 'No access to this collection'),
  approvalRequired: refusal(403, 'Approval required'),
  userNotFound: refusal(404, 'User not found'),
  clientNotFound: refusal(404, 'Client not found'),
  collectionNotFound: refusal(404, 'Collection not found'),
  grantNotFound: refusal(404, 'Grant not found'),
  groupNotFound: refusal(404, 'Group not found'),
  memberNotFound: refusal(404, 'User not in the group'),
  requestNotFound: refusal(404, 'Request not found'),
  tierNotFound: refusal(404, 'Tier not found'),
  operationNotFound: refusal(404, 'Operation not found'),
  overrideNotFound: refusal(404, 'Override not found'),
  serviceAccountNotFound: refusal(404, 'Service account not found'),
  jobNotFound: refusal(404, 'Job not found'),
  notFound: refusal(404, 'Not found'),
  methodNotAllowed: refusal(405, 'Method not allowed'),
  needsNoGrant: refusal(409, 'User is an admin and needs no grant'),
  alreadyRequested: refusal(409, 'Access already requested'),
  alreadyGranted: refusal(409, 'Client already has access'),
  notApproved: refusal(409, 'User not approved'),
  adminHasNoKey: refusal(409, 'User is an admin and has no API credentials'),
} as const;

export const scopeRequired = (scope: string): Refusal => refusal(403, `Scope required: ${scope}`);

/** Asserts that a response is exactly the given refusal. */
export const expectRefusal = (reply: Reply, { status, detail }: Refusal): void => {
  expect([reply.status, reply.text]).toEqual([status, JSON.stringify({ detail })]);
  expectRefusalHeaders(reply);
};

/** Asserts that a response is a 400 with this detail and a reason. */
export const expectBadRequest = (reply: Reply, detail: 'Invalid request body' | 'Invalid query parameter'): void => {
  expect([reply.status, reply.text]).toEqual([400, expect.stringMatching(/^\{"detail":"[^"]/)]);
  expect(Object.keys(reply.body)).toEqual(['detail']);
  expect(reply.body.detail).toMatch(new RegExp(`^${detail}: \\S`));
  expectRefusalHeaders(reply);
};

const expectRefusalHeaders = ({ status, headers }: Reply): void => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const challenge = headers['www-authenticate'];
  if (status !== 401) expect(challenge).toBeUndefined();
  // The MCP endpoint accepts access tokens, so its challenge contains the address of the metadata.
  else expect(challenge).toMatch(/^Bearer( resource_metadata="[^"]+\/mcp")?$/);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
};
