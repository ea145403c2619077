import { agentRoutes } from '../mcp/agent-routes.ts';
import type { Route, RouteRow, Tag } from '../route.ts';
import { accessRoutes } from './access.ts';
import { manyAccessRoutes } from './access-many.ts';
import { matrixRoutes } from './access-matrix.ts';
import { auditRoutes } from './audit.ts';
import { catalogRoutes } from './catalog.ts';
import { changeRoutes } from './changes.ts';
import { collectionCredentialRoutes } from './collection-credentials.ts';
import { collectionDeliveryRoutes } from './collection-delivery.ts';
import { collectionLifecycleRoutes } from './collection-lifecycle.ts';
import { collectionOwnershipRoutes } from './collection-ownership.ts';
import { collectionListRoutes } from './collection-lists.ts';
import { collectionRoutes } from './collections.ts';
import { consoleRoutes } from './console.ts';
import { importRoutes } from './imports.ts';
import { groupRoutes } from './groups.ts';
import { jobRoutes } from './jobs.ts';
import { limitStatusRoutes } from './limit-status.ts';
import { limitRoutes } from './limits.ts';
import { localIssuerRoutes } from './local-issuer.ts';
import { oauthRoutes } from './oauth.ts';
import { operationCallRoutes } from './operation-calls.ts';
import { operationRoutes } from './operations.ts';
import { pendingCallRoutes } from './pending-calls.ts';
import { profileListRoutes } from './profile-lists.ts';
import { approvalRoutes, profileStatusRoutes } from './profile-status.ts';
import { profileRoutes } from './profiles.ts';
import { requestRoutes } from './requests.ts';
import { revisionRoutes } from './revisions.ts';
import { searchRoutes } from './search.ts';
import { serviceAccountRoutes } from './service-accounts.ts';
import { serviceRoutes } from './service.ts';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { subjectCredentialRoutes } from './subject-credentials.ts';
import { usageRoutes } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

/** Adds the tag to rows, and keeps the rows' types. */
const addTag = <const Rows extends readonly RouteRow[]>(tag: Tag, rows: Rows) =>
  rows.map((row): Rows[number] & Route => ({ ...row, tag, rejectsUnknownParameters: isExtension(row) }));

/**
 * Whether a row is an extension of the specified API. Endpoints of other standards, such as OAuth, are not extensions.
 */
const isExtension = ({ method, path }: RouteRow): boolean =>
  path.startsWith('/api/') && !specifiedEndpoints.includes(`${method} ${path}`);

/**
 * All routes of the service. Express tries the paths in this order, so the busiest paths come first, and `/me` and
 * `/approve` come before `/:user_id`.
 */
export const tableRows = [
  ...addTag('Collections', collectionRoutes),
  ...addTag('Collections', collectionListRoutes),
  ...addTag('Collections', collectionCredentialRoutes),
  ...addTag('Collections', subjectCredentialRoutes),
  ...addTag('Collections', collectionDeliveryRoutes),
  ...addTag('Collections', revisionRoutes),
  ...addTag('Collections', changeRoutes),
  ...addTag('Collections', collectionLifecycleRoutes),
  ...addTag('Collections', collectionOwnershipRoutes),
  ...addTag('Operations', operationRoutes),
  ...addTag('Operations', operationCallRoutes),
  ...addTag('Search', searchRoutes),
  ...addTag('Service', agentRoutes),
  ...addTag('Audit', auditRoutes),
  ...addTag('Profiles', approvalRoutes),
  ...addTag('Profiles', profileRoutes),
  ...addTag('Profiles', profileListRoutes),
  ...addTag('Profiles', profileStatusRoutes),
  ...addTag('Service accounts', serviceAccountRoutes),
  ...addTag('Access', accessRoutes),
  ...addTag('Access', manyAccessRoutes),
  ...addTag('Access', matrixRoutes),
  ...addTag('Groups', groupRoutes),
  ...addTag('Access', catalogRoutes),
  ...addTag('Access', requestRoutes),
  ...addTag('Access', pendingCallRoutes),
  ...addTag('Rate limits', limitRoutes),
  ...addTag('Rate limits', limitStatusRoutes),
  ...addTag('Usage', usageRoutes),
  ...addTag('Collections', importRoutes),
  ...addTag('Jobs', jobRoutes),
  ...addTag('Webhooks', webhookRoutes),
  ...addTag('Service', serviceRoutes),
  ...addTag('Service', localIssuerRoutes),
  ...addTag('Service', oauthRoutes),
  ...addTag('Service', consoleRoutes),
];

export const routes: readonly Route[] = tableRows;
