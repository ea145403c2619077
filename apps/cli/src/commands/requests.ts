import { isSameEmail, toIso, type Instant } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { Api, LineOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

/** A request's id, or the requester's email address and the collection. */
export interface RequestSelector {
  readonly idOrEmail: string;
  readonly collection: string | undefined;
}

type AccessRequest = LineOf<'GET /api/access/requests'>;

const requestFields = [
  'id',
  'status',
  'profile_email',
  'profile_name',
  'collection_name',
  'reason',
  'duration_days',
  'created_at',
  'decided_at',
  'answer',
] as const satisfies (keyof AccessRequest)[];

/** Returns the requests with this status, or all. Pending requests are sorted oldest first, others newest first. */
const fetchRequests = (api: Api, status: AccessRequest['status'] | undefined): Promise<readonly AccessRequest[]> =>
  api.callAll('GET /api/access/requests', { scope: 'access:read', query: { status, limit: 1_000 } });

/** Lists the pending requests, or all requests. */
export const showRequests = async (api: Api, terminal: Terminal, all: boolean): Promise<AllDone> => {
  const requests = await fetchRequests(api, all ? undefined : 'pending');
  const rows = requests.map((request) => [
    request.created_at.slice(0, 10),
    request.status,
    request.profile_email,
    request.collection_name,
    request.duration_days === null ? 'for good' : `for ${request.duration_days} days`,
    request.reason,
  ]);
  const views = requests.map((request) => pick(request, requestFields));
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : ['No pending requests.']);
  return true;
};

/** Approves a request. If `until` is undefined, the access expires after the requested number of days, if any. */
export const approveRequest = async (
  api: Api,
  terminal: Terminal,
  selector: RequestSelector,
  until: Instant | undefined,
): Promise<AllDone> => {
  const request = await findRequest(api, selector);
  await api.call('POST /api/access/requests/:request_id/approve', {
    scope: 'access:write',
    params: { request_id: request.id },
    body: until === undefined ? {} : { expires_at: toIso(until) },
  });
  return report(terminal, request, 'approved');
};

export const denyRequest = async (
  api: Api,
  terminal: Terminal,
  selector: RequestSelector,
  reason: string | undefined,
): Promise<AllDone> => {
  const request = await findRequest(api, selector);
  await api.call('POST /api/access/requests/:request_id/deny', {
    scope: 'access:write',
    params: { request_id: request.id },
    body: { reason },
  });
  return report(terminal, request, 'denied');
};

const report = (terminal: Terminal, request: AccessRequest, outcome: string): AllDone => {
  const { id, profile_email: email, collection_name } = request;
  terminal.printResult({ outcome, id, email, collection_name }, [`${outcome}  ${email}  ${collection_name ?? id}`]);
  return true;
};

/** Returns the pending request that the selector matches. Throws an `OperatorError` unless it matches exactly one. */
const findRequest = async (api: Api, { idOrEmail, collection }: RequestSelector): Promise<AccessRequest> => {
  const key = idOrEmail.trim();
  const matches = (await fetchRequests(api, 'pending')).filter(
    (candidate) =>
      (candidate.id === key.toLowerCase() || isSameEmail(candidate.profile_email, key)) &&
      (collection === undefined || candidate.collection_name === collection),
  );
  const [request, ...otherRequests] = matches;
  if (!request)
    throw new OperatorError(
      `no pending request matches ${idOrEmail}${collection === undefined ? '' : ` and ${collection}`}: see "portico requests list"`,
    );
  if (otherRequests.length > 0)
    throw new OperatorError(
      `${matches.length} requests from ${idOrEmail} are pending: also pass the collection, or pass an id (${matches.map(({ id }) => id).join(', ')})`,
    );
  return request;
};
