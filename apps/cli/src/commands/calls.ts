import { isSameEmail } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { Api, LineOf, ResponseOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

type PendingCall = LineOf<'GET /api/calls'>;

const callFields = [
  'call_id',
  'state',
  'email',
  'collection_name',
  'method',
  'path',
  'operation_key',
  'requested_at',
  'expires_at',
  'decided_at',
  'reason',
] as const satisfies (keyof PendingCall)[];

/** Returns the waiting calls, oldest first, or all calls, newest first. */
const fetchCalls = (api: Api, status: PendingCall['state'] | undefined): Promise<readonly PendingCall[]> =>
  api.callAll('GET /api/calls', { scope: 'access:read', query: { status, limit: 1_000 } });

/** Lists the calls that need a decision, or all calls. */
export const showCalls = async (api: Api, terminal: Terminal, all: boolean): Promise<AllDone> => {
  const calls = await fetchCalls(api, all ? undefined : 'waiting');
  const rows = calls.map((call) => [
    call.call_id,
    call.requested_at.slice(0, 16).replace('T', ' '),
    call.state,
    call.email,
    call.collection_name ?? '',
    `${call.method} ${call.path}`,
  ]);
  const views = calls.map((call) => pick(call, callFields));
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : ['No waiting calls.']);
  return true;
};

/** Shows one call with its arguments, exactly as they will be sent. */
export const showCall = async (api: Api, terminal: Terminal, idOrEmail: string): Promise<AllDone> => {
  const { call_id } = await findCall(api, idOrEmail, undefined);
  const call = await readCall(api, call_id);
  terminal.printResult({ ...pick(call, callFields), arguments: call.arguments }, [
    `${call.state}  ${call.email}  ${call.collection_name ?? call.collection_id}  ${call.method} ${call.path}`,
    ...(call.reason === null ? [] : [`reason: ${call.reason}`]),
    ...(call.arguments === null ? ['The arguments are not shown, or are deleted.'] : [JSON.stringify(call.arguments)]),
  ]);
  return true;
};

const readCall = (api: Api, id: string): Promise<ResponseOf<'GET /api/calls/:call_id'>> =>
  api.call('GET /api/calls/:call_id', { scope: 'access:read', params: { call_id: id } });

/** Lets the caller make a call once. */
export const approveCall = async (api: Api, terminal: Terminal, idOrEmail: string): Promise<AllDone> => {
  const call = await findCall(api, idOrEmail, 'waiting');
  await api.call('POST /api/calls/:call_id/approve', { scope: null, params: { call_id: call.call_id } });
  return report(terminal, call, 'approved');
};

export const denyCall = async (
  api: Api,
  terminal: Terminal,
  idOrEmail: string,
  reason: string | undefined,
): Promise<AllDone> => {
  const call = await findCall(api, idOrEmail, 'waiting');
  await api.call('POST /api/calls/:call_id/deny', { scope: null, params: { call_id: call.call_id }, body: { reason } });
  return report(terminal, call, 'denied');
};

const report = (terminal: Terminal, call: PendingCall, outcome: string): AllDone => {
  const { call_id, email, collection_name } = call;
  terminal.printResult({ outcome, call_id, email, collection_name }, [
    `${outcome}  ${email}  ${collection_name ?? call_id}  ${call.method} ${call.path}`,
  ]);
  return true;
};

/** Returns the call with an id, or the only waiting one of a person. Throws an `OperatorError` unless there is one. */
const findCall = async (api: Api, idOrEmail: string, status: 'waiting' | undefined): Promise<PendingCall> => {
  const key = idOrEmail.trim();
  const isEmail = key.includes('@');
  const matches = (await fetchCalls(api, isEmail ? 'waiting' : status)).filter((call) =>
    isEmail ? isSameEmail(call.email, key) : call.call_id === key.toLowerCase(),
  );
  const [call, ...others] = matches;
  if (!call) throw new OperatorError(`no waiting call matches ${idOrEmail}: see "portico calls list"`);
  if (others.length > 0)
    throw new OperatorError(
      `${matches.length} calls of ${idOrEmail} are waiting: pass an id (${matches.map(({ call_id }) => call_id).join(', ')})`,
    );
  return call;
};
