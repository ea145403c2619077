import type { CallResult } from '../../api/call.ts';
import { words } from '../../words/words.ts';

export type PendingCall = CallResult<'GET /api/calls'>[number];

export const apiOf = ({ collection_name: name }: Pick<PendingCall, 'collection_name'>): string =>
  name ?? words.access.calls.hiddenApi;

export const operationOf = ({ method, path }: Pick<PendingCall, 'method' | 'path'>): string => `${method} ${path}`;
