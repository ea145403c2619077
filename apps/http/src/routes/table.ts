import { agentRoutes } from '../mcp/agent-routes.ts';
import type { Route, RouteRow, Tag } from '../route.ts';
import { accessRoutes } from './access.ts';
import { manyAccessRoutes } from './access-many.ts';
import { matrixRoutes } from './access-matrix.ts';
import { auditRoutes } from './audit.ts';
import { catalogRoutes } from './catalog.ts';
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
import { operationRoutes } from './operations.ts';
import { profileListRoutes } from './profile-lists.ts';
import { approvalRoutes, standingRoutes } from './profile-standing.ts';
import { profileRoutes } from './profiles.ts';
import { requestRoutes } from './requests.ts';
import { searchRoutes } from './search.ts';
import { serviceAccountRoutes } from './service-accounts.ts';
import { serviceRoutes } from './service.ts';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { usageRoutes } from './usage.ts';

/** Adds the tag to rows, and keeps the rows' types. */
const tagged = <const Rows extends readonly RouteRow[]>(tag: Tag, rows: Rows) =>
  rows.map((row): Rows[number] & Route => ({ ...row, tag, refusesUnknown: isExtension(row) }));

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
  ...tagged('Collections', collectionRoutes),
  ...tagged('Collections', collectionListRoutes),
  ...tagged('Operations', operationRoutes),
  ...tagged('Search', searchRoutes),
  ...tagged('Service', agentRoutes),
  ...tagged('Audit', auditRoutes),
  ...tagged('Profiles', approvalRoutes),
  ...tagged('Profiles', profileRoutes),
  ...tagged('Profiles', profileListRoutes),
  ...tagged('Profiles', standingRoutes),
  ...tagged('Service accounts', serviceAccountRoutes),
  ...tagged('Access', accessRoutes),
  ...tagged('Access', manyAccessRoutes),
  ...tagged('Access', matrixRoutes),
  ...tagged('Groups', groupRoutes),
  ...tagged('Access', catalogRoutes),
  ...tagged('Access', requestRoutes),
  ...tagged('Rate limits', limitRoutes),
  ...tagged('Rate limits', limitStatusRoutes),
  ...tagged('Usage', usageRoutes),
  ...tagged('Collections', importRoutes),
  ...tagged('Jobs', jobRoutes),
  ...tagged('Service', serviceRoutes),
  ...tagged('Service', localIssuerRoutes),
  ...tagged('Service', oauthRoutes),
  ...tagged('Service', consoleRoutes),
];

export const routes: readonly Route[] = tableRows;
