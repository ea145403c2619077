import type { Endpoints } from '../endpoint.ts';
import { accessEndpoints } from './access.ts';
import { agentEndpoints } from './agents.ts';
import { auditEndpoints } from './audit.ts';
import { collectionEndpoints } from './collections.ts';
import { credentialEndpoints } from './credentials.ts';
import { importEndpoints } from './imports.ts';
import { groupEndpoints } from './groups.ts';
import { lifecycleEndpoints } from './lifecycle.ts';
import { limitEndpoints } from './limits.ts';
import { jobEndpoints } from './jobs.ts';
import { operationEndpoints } from './operations.ts';
import { pendingCallEndpoints } from './pending-calls.ts';
import { profileEndpoints } from './profiles.ts';
import { requestEndpoints } from './requests.ts';
import { revisionEndpoints } from './revisions.ts';
import { searchEndpoints } from './search.ts';
import { serviceAccountEndpoints } from './service-accounts.ts';
import { serviceEndpoints } from './service.ts';
import { usageEndpoints } from './usage.ts';
import { webhookEndpoints } from './webhooks.ts';

/**
 * All endpoints of the specification. They were written only from the specification, so that they verify the route
 * table.
 */
export const endpoints: Endpoints = {
  ...profileEndpoints,
  ...collectionEndpoints,
  ...revisionEndpoints,
  ...credentialEndpoints,
  ...lifecycleEndpoints,
  ...importEndpoints,
  ...serviceAccountEndpoints,
  ...accessEndpoints,
  ...requestEndpoints,
  ...pendingCallEndpoints,
  ...auditEndpoints,
  ...groupEndpoints,
  ...limitEndpoints,
  ...operationEndpoints,
  ...searchEndpoints,
  ...usageEndpoints,
  ...jobEndpoints,
  ...webhookEndpoints,
  ...serviceEndpoints,
  ...agentEndpoints,
};
