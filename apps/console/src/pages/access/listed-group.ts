import type { CallResult } from '../../api/call.ts';

export type ListedGroup = CallResult<'GET /api/groups'>[number];

export const groupPathOf = (name: string): string => `/access/groups/${encodeURIComponent(name)}`;
