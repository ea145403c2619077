import type { CallResult } from '../../api/call.ts';

/** A person, as returned in the list. */
export type Person = CallResult<'GET /api/profiles/'>[number];
