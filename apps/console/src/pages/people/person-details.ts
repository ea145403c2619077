import type { CallResult } from '../../api/call.ts';

/** A person with all details, as on their page. */
export type PersonDetails = CallResult<'GET /api/profiles/:user_id'>;
