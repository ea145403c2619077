import type { CountedRequest } from './limits/limit.ts';

/** Every error that the system reports, with the fixed `detail` that a caller reads (specification, section 1). */
export const errorDetails = {
  invalid_token: 'Invalid or expired token',
  token_required: 'Identity token required',
  invalid_api_credentials: 'Invalid API credentials',
  admin_required: 'Admin access required',
  no_access: 'No access to this collection',
  /** `reason` names the scope. */
  scope_required: 'Scope required',
  no_service_accounts: 'Not available to service accounts',
  own_credentials_off: 'Own credentials are off',
  approval_required: 'Approval required',
  owner_required: 'Admin or owner access required',
  /** Errors for the bearers of valid access tokens; `reason` says what to do, and where. */
  not_registered: 'Not registered',
  not_bound: 'Registration not confirmed',
  is_suspended: 'Profile suspended',
  foreign_origin: 'Origin not allowed',
  foreign_host: 'Host not allowed',
  collection_not_found: 'Collection not found',
  operation_not_found: 'Operation not found',
  /** `reason` names the schemes of the document. */
  scheme_not_found: 'Security scheme not found',
  credential_not_found: 'Credential not found',
  user_not_found: 'User not found',
  client_not_found: 'Client not found',
  grant_not_found: 'Grant not found',
  group_not_found: 'Group not found',
  member_not_found: 'User not in the group',
  request_not_found: 'Request not found',
  call_not_found: 'Call not found',
  tier_not_found: 'Tier not found',
  override_not_found: 'Override not found',
  service_account_not_found: 'Service account not found',
  job_not_found: 'Job not found',
  revision_not_found: 'Revision not found',
  /** `reason` is the limit. */
  not_comparable: 'The revisions cannot be compared',
  webhook_not_found: 'Webhook not found',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  malformed_request: 'Malformed request',
  email_taken: 'Email already registered',
  identity_taken: 'Identity already registered',
  already_approved: 'User already approved',
  already_rejected: 'User already rejected',
  not_approved: 'User not approved',
  not_rejected: 'User not rejected',
  has_no_key: 'User is an admin and has no API credentials',
  has_no_key_yet: 'User has no API credentials yet',
  last_admin: 'The last admin cannot be removed',
  already_suspended: 'User already suspended',
  not_suspended: 'User not suspended',
  group_taken: 'Group already exists',
  already_member: 'User already in the group',
  member_by_claim: "The identity provider's claim puts the user into the group: remove it there",
  already_requested: 'Access already requested',
  request_decided: 'Request already decided',
  too_many_pending: 'Too many pending requests',
  needs_no_grant: 'User is an admin and needs no grant',
  already_granted: 'Client already has access',
  /** `reason` says what to do. */
  collection_retired: 'Collection retired',
  not_deprecated: 'Collection not deprecated',
  tier_taken: 'Tier already exists',
  name_shared: 'Several collections have this name',
  service_account_taken: 'Service account already exists',
  too_many_service_accounts: 'Too many service accounts',
  too_many_credentials: 'Too many credentials',
  too_many_webhooks: 'Too many webhooks',
  webhook_without_secret: 'Webhook has no secret: rotate it first',
  /** The state in `If-Match` is not the current one (RFC 9110, section 13.1.1). */
  precondition_failed: 'Precondition failed',
  secret_removed: 'The secret of this job was removed: issue new credentials, then discard it',
  rate_limited: 'Rate limit exceeded',
  invalid_body: 'Invalid request body',
  /** `errors` lists the invalid arguments of an operation. */
  invalid_arguments: 'Invalid arguments',
  invalid_query: 'Invalid query parameter',
  body_too_large: 'Request body too large',
  /** The errors of calls; `reason` says what to do. */
  calls_off: 'Calls are off',
  operation_denied: 'Operation not allowed',
  /** The delivery is `call`, or the credential would bypass the rules of the caller's grants. */
  credential_withheld: 'Credential not shown',
  no_usable_credential: 'No credential for this call',
  ambiguous_credential: 'Several credentials fit',
  /** `reason` is the status, and what to do. */
  call_decided: 'Call already decided',
  call_differs: 'The arguments are not those of the call',
  /** `reason` says why. */
  caller_lacks_access: 'The caller may not call this API',
  origin_changed: 'The address of the API has changed',
  upstream_unreachable: 'The API is unreachable',
  upstream_timed_out: 'The API did not respond in time',
  embedding_unavailable: 'Embedding service unavailable',
  identity_unavailable: 'Identity provider unavailable',
  /** The request timed out before its change began to commit. */
  timed_out: 'Internal server error',
  internal: 'Internal server error',
} as const;

export type ErrorCode = keyof typeof errorDetails;

/** An error in a value of a request. */
export interface ValueError {
  /** A JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
}

export interface PorticoErrorOptions {
  /** Appended to the fixed detail after a colon; never contains a secret. */
  readonly reason?: string;
  /** The rate-limit count for the request, if any. */
  readonly rateLimit?: CountedRequest | null;
  /** The number of seconds after which the same request may succeed, at least 1; absent if unknown. */
  readonly retryAfterSeconds?: number;
  /** The error in each value, for `invalid_arguments`. */
  readonly errors?: readonly ValueError[];
  /** The original error, which is only logged. */
  readonly cause?: unknown;
}

/** The only error that use cases and adapters throw deliberately. Any other thrown error is a bug. */
export class PorticoError extends Error {
  readonly code: ErrorCode;
  readonly rateLimit: CountedRequest | null;
  readonly retryAfterSeconds: number | null;
  readonly errors: readonly ValueError[];

  constructor(code: ErrorCode, options: PorticoErrorOptions = {}) {
    super(options.reason ? `${errorDetails[code]}: ${options.reason}` : errorDetails[code], { cause: options.cause });
    this.name = 'PorticoError';
    this.code = code;
    this.rateLimit = options.rateLimit ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.errors = options.errors ?? [];
  }
}

/** Whether the error is a `PorticoError` with this code; if `code` is omitted, any code matches. */
export const isPorticoError = (error: unknown, code?: ErrorCode): error is PorticoError =>
  error instanceof PorticoError && (code === undefined || error.code === code);
