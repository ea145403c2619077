import type { Answered } from '../../api/call.ts';

/** What a dialog about an API is given. */
export interface ApiDialogFacts {
  readonly api: Answered<'GET /api/collections/:collection_id/summary'>;
  readonly close: () => void;
}
