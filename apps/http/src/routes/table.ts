import type { Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { auditRoutes } from './audit.ts';
import { collectionRoutes } from './collections.ts';
import { limitRoutes } from './limits.ts';
import { profileRoutes } from './profiles.ts';
import { searchRoutes } from './search.ts';
import { serviceRoutes } from './service.ts';

/**
 * All that the service answers to. Express tries the paths in this order, so the busiest come first, and `/me` before
 * `/:user_id`.
 */
export const routes: readonly Route[] = [
  ...collectionRoutes,
  ...searchRoutes,
  ...auditRoutes,
  ...profileRoutes,
  ...accessRoutes,
  ...limitRoutes,
  ...serviceRoutes,
];
