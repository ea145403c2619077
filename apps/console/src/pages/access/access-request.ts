import type { CallResult } from '../../api/call.ts';

export type AccessRequest = CallResult<'GET /api/access/requests'>[number];
