import { errorDetails, isPorticoError, type ErrorCode } from '@portico/domain';
import { retrySecondsOf } from '../errors.ts';

/** Advice for a model about an error. Any other error fails the whole request, with its status. */
const advice: Partial<Record<ErrorCode, string>> = {
  no_access:
    'You have no access to this API. Use one that list_apis shows, or ask an administrator of this catalog: ' +
    'request_access without collection_id lists those that you can ask for here.',
  collection_not_found:
    'There is no API with this collection_id: it may have been removed. Search again, or see list_apis; request_access ' +
    'without collection_id lists those that you can ask for.',
  approval_required: 'Your registration is not approved yet: whoami shows the next step.',
  already_granted: 'You may already use this API: see list_apis.',
  already_requested: 'You have already asked for this API: whoami lists your pending requests.',
  too_many_pending: 'You have too many pending requests: wait until an administrator has decided some of them.',
  needs_no_grant: 'You are an administrator: you may already use every API.',
  calls_off: 'This catalog makes no calls: use prepare_call, and send the request yourself.',
  credential_withheld:
    'The credential of this API is not shown to you. Call its operations with call_operation, which adds it.',
  operation_not_found: 'There is no such operation: the API may have changed. Search again with search_operations.',
};

/** The errors whose reason says what to do. */
const callErrors: ReadonlySet<ErrorCode> = new Set([
  'call_decided',
  'collection_retired',
  'call_differs',
  'call_not_found',
  'operation_denied',
  'no_usable_credential',
  'ambiguous_credential',
  'origin_changed',
  'upstream_unreachable',
  'upstream_timed_out',
]);

/**
 * Returns the reason why a call was rejected, and what to do next; null for an error that the caller cannot do anything
 * about.
 */
export const explainError = (error: unknown): string | null => {
  if (!isPorticoError(error)) return null;
  if (error.code === 'embedding_unavailable') {
    const { retryAfterSeconds: seconds } = error;
    const delay = seconds === null ? 'a minute' : `${seconds} s`;
    return `Search does not work at the moment. Try again in ${delay}, or use list_apis.`;
  }
  if (error.code === 'rate_limited')
    return `Too many concurrent calls. Call again in ${retrySecondsOf(error)} s, one call at a time.`;
  if (error.code === 'scheme_not_found') return `${error.message}. Call again with one of them.`;
  if (callErrors.has(error.code)) return `${error.message}.`;
  if (error.code === 'invalid_arguments') return `${error.message}. Call again with valid ones.`;
  if (error.code !== 'invalid_body') return advice[error.code] ?? null;
  return `${error.message.replace(errorDetails.invalid_body, 'Invalid arguments')}. Call again with valid ones.`;
};
