import type { CallResult } from '../../api/call.ts';

/** The props of a dialog about an API. */
export interface ApiDialogProps {
  readonly api: CallResult<'GET /api/collections/:collection_id/summary'>;
  readonly close: () => void;
}
