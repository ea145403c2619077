import type { Answered } from '../../api/call.ts';

export type ListedGroup = Answered<'GET /api/groups'>[number];

export const pathOfGroup = (name: string): string => `/access/groups/${encodeURIComponent(name)}`;
