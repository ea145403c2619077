import type { Answered } from '../../api/call.ts';

/** All that a person's page knows of the person. */
export type WholePerson = Answered<'GET /api/profiles/:user_id'>;
