import { isSameEmail, toIso, type Instant } from '@portico/domain';
import { columns } from '../columns.ts';
import type { Api, LineOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';
import { picked } from './picked.ts';

/** A request as an administrator names it: by its id, or by who asks for which collection. */
export interface NamedRequest {
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

/** The oldest first if they wait, else the newest. */
const requestsIn = (api: Api, status: AccessRequest['status'] | undefined): Promise<readonly AccessRequest[]> =>
  api.callAll('GET /api/access/requests', { scope: 'access:read', query: { status, limit: 1_000 } });

/** Lists those that wait, or all. */
export const showRequests = async (api: Api, terminal: Terminal, all: boolean): Promise<AllDone> => {
  const found = await requestsIn(api, all ? undefined : 'pending');
  const rows = found.map((one) => [
    one.created_at.slice(0, 10),
    one.status,
    one.profile_email,
    one.collection_name,
    one.duration_days === null ? 'for good' : `for ${one.duration_days} days`,
    one.reason,
  ]);
  const shown = found.map((one) => picked(one, requestFields));
  terminal.result(shown, rows.length > 0 ? columns(rows) : ['No request waits.']);
  return true;
};

/** Without an end, the access ends after the days that were asked for, if any. */
export const approveNamed = async (
  api: Api,
  terminal: Terminal,
  named: NamedRequest,
  until: Instant | undefined,
): Promise<AllDone> => {
  const request = await find(api, named);
  await api.call('POST /api/access/requests/:request_id/approve', {
    scope: 'access:write',
    params: { request_id: request.id },
    body: until === undefined ? {} : { expires_at: toIso(until) },
  });
  return tell(terminal, request, 'approved');
};

export const denyNamed = async (
  api: Api,
  terminal: Terminal,
  named: NamedRequest,
  reason: string | undefined,
): Promise<AllDone> => {
  const request = await find(api, named);
  await api.call('POST /api/access/requests/:request_id/deny', {
    scope: 'access:write',
    params: { request_id: request.id },
    body: { reason },
  });
  return tell(terminal, request, 'denied');
};

const tell = (terminal: Terminal, request: AccessRequest, outcome: string): AllDone => {
  const { id, profile_email: email, collection_name } = request;
  terminal.result({ outcome, id, email, collection_name }, [`${outcome}  ${email}  ${collection_name ?? id}`]);
  return true;
};

/** The pending request of that id, or of that person for that collection. Throws an `OperatorError` if there is none. */
const find = async (api: Api, { idOrEmail, collection }: NamedRequest): Promise<AccessRequest> => {
  const asked = idOrEmail.trim();
  const found = (await requestsIn(api, 'pending')).filter(
    (one) =>
      (one.id === asked.toLowerCase() || isSameEmail(one.profile_email, asked)) &&
      (collection === undefined || one.collection_name === collection),
  );
  const [request, ...others] = found;
  if (!request)
    throw new OperatorError(
      `no request of ${idOrEmail}${collection === undefined ? '' : ` for ${collection}`} waits: "requests list" shows them`,
    );
  if (others.length > 0)
    throw new OperatorError(
      `${found.length} requests of ${idOrEmail} wait: name the collection too, or the id (${found.map(({ id }) => id).join(', ')})`,
    );
  return request;
};
