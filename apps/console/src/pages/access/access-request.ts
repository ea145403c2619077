import type { Answered } from '../../api/call.ts';

export type AccessRequest = Answered<'GET /api/access/requests'>[number];
