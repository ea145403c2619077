import type { CallResult } from '../../api/call.ts';

/** A person as the list returns it. */
export type Person = CallResult<'GET /api/profiles/'>[number];
