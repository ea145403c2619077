import { expect } from 'vitest';
import type { Reply } from '../reply.ts';

export interface ExpectedError {
  readonly status: number;
  readonly detail: string;
}

const createError = (status: number, detail: string): ExpectedError => ({ status, detail });

/** The catalog of details (specification, section 1). */
export const errors = {
  invalidToken: createError(401, 'Invalid or expired token'),
  tokenRequired: createError(401, 'Identity token required'),
  invalidKey: createError(401, 'Invalid API credentials'),
  adminRequired: createError(403, 'Admin access required'),
  ownerRequired: createError(403, 'Admin or owner access required'),
  noServiceAccounts: createError(403, 'Not available to service accounts'),
  ownCredentialsOff: createError(
    403,
    'Own credentials are off: an administrator of the catalog can allow them for this collection',
  ),
  noAccess: createError(403, 'No access to this collection'),
  approvalRequired: createError(403, 'Approval required'),
  userNotFound: createError(404, 'User not found'),
  clientNotFound: createError(404, 'Client not found'),
  collectionNotFound: createError(404, 'Collection not found'),
  credentialNotFound: createError(404, 'Credential not found'),
  schemeNotFound: createError(404, 'Security scheme not found: the document has weatherKey'),
  grantNotFound: createError(404, 'Grant not found'),
  groupNotFound: createError(404, 'Group not found'),
  memberNotFound: createError(404, 'User not in the group'),
  revisionNotFound: createError(404, 'Revision not found'),
  callNotFound: createError(404, 'Call not found'),
  requestNotFound: createError(404, 'Request not found'),
  tierNotFound: createError(404, 'Tier not found'),
  operationNotFound: createError(404, 'Operation not found'),
  overrideNotFound: createError(404, 'Override not found'),
  serviceAccountNotFound: createError(404, 'Service account not found'),
  webhookNotFound: createError(404, 'Webhook not found'),
  jobNotFound: createError(404, 'Job not found'),
  notFound: createError(404, 'Not found'),
  methodNotAllowed: createError(405, 'Method not allowed'),
  needsNoGrant: createError(409, 'User is an admin and needs no grant'),
  alreadyRequested: createError(409, 'Access already requested'),
  alreadyGranted: createError(409, 'Client already has access'),
  notApproved: createError(409, 'User not approved'),
  adminHasNoKey: createError(409, 'User is an admin and has no API credentials'),
} as const;

export const createScopeError = (scope: string): ExpectedError => createError(403, `Scope required: ${scope}`);

/** Asserts that a response is exactly the given error. */
export const expectError = (reply: Reply, { status, detail }: ExpectedError): void => {
  const advice = status === 401 && reply.headers['www-authenticate'] !== 'Bearer' ? keyAdvice : '';
  expect([reply.status, reply.text]).toEqual([status, JSON.stringify({ detail: detail + advice })]);
  expectErrorHeaders(reply);
};

/** The MCP endpoint names the simplest credential, because its clients show the detail to people. */
export const keyAdvice = ': send an API key of this service in the header X-API-Key, as CLIENT_ID.CLIENT_SECRET';

/** Asserts that a response is a 400 with this detail and a reason. */
export const expectBadRequest = (reply: Reply, detail: 'Invalid request body' | 'Invalid query parameter'): void => {
  expect([reply.status, reply.text]).toEqual([400, expect.stringMatching(/^\{"detail":"[^"]/)]);
  expect(Object.keys(reply.body)).toEqual(['detail']);
  expect(reply.body.detail).toMatch(new RegExp(`^${detail}: \\S`));
  expectErrorHeaders(reply);
};

const expectErrorHeaders = ({ status, headers }: Reply): void => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const challenge = headers['www-authenticate'];
  // The MCP endpoint accepts access tokens, so its challenge contains the URL of the metadata, also for a wrong method.
  if (status === 401 || (status === 405 && challenge !== undefined))
    expect(challenge).toMatch(/^Bearer( resource_metadata="[^"]+\/mcp", scope="[^"]+")?$/);
  else expect(challenge).toBeUndefined();
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
};
