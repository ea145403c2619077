import type { CallResult } from '../../api/call.ts';

export type ListedGroup = CallResult<'GET /api/groups'>[number];

export const pathOfGroup = (name: string): string => `/access/groups/${encodeURIComponent(name)}`;
