import type { CallResult } from '../../api/call.ts';

/** A person with all the details shown on their page. */
export type PersonDetails = CallResult<'GET /api/profiles/:user_id'>;
