import { agentRoutes } from '../mcp/agent-routes.ts';
import type { Route, RouteRow, Tag } from '../route.ts';
import { accessRoutes } from './access.ts';
import { auditRoutes } from './audit.ts';
import { catalogRoutes } from './catalog.ts';
import { collectionRoutes } from './collections.ts';
import { limitRoutes } from './limits.ts';
import { oauthRoutes } from './oauth.ts';
import { operationRoutes } from './operations.ts';
import { profileRoutes } from './profiles.ts';
import { requestRoutes } from './requests.ts';
import { searchRoutes } from './search.ts';
import { serviceRoutes } from './service.ts';
import { usageRoutes } from './usage.ts';

const tagged = (tag: Tag, rows: readonly RouteRow[]): readonly Route[] => rows.map((row) => ({ ...row, tag }));

/**
 * All routes of the service. Express tries the paths in this order, so the busiest come first, and `/me` before
 * `/:user_id`.
 */
export const routes: readonly Route[] = [
  ...tagged('Collections', collectionRoutes),
  ...tagged('Operations', operationRoutes),
  ...tagged('Search', searchRoutes),
  ...tagged('Service', agentRoutes),
  ...tagged('Audit', auditRoutes),
  ...tagged('Profiles', profileRoutes),
  ...tagged('Access', accessRoutes),
  ...tagged('Access', catalogRoutes),
  ...tagged('Access', requestRoutes),
  ...tagged('Rate limits', limitRoutes),
  ...tagged('Usage', usageRoutes),
  ...tagged('Service', serviceRoutes),
  ...tagged('Service', oauthRoutes),
];
