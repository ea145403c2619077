import type { Answered } from '../../api/call.ts';

/** A person as the list shows it. */
export type Person = Answered<'GET /api/profiles/'>[number];
