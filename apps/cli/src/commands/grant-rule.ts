import { operationKeyOf } from '@portico/composition';
import { parseOperationKey } from '@portico/domain';
import type { Api, CallInput, ResponseOf } from '../server/api.ts';
import { formatCount, OperatorError, type Terminal } from '../terminal.ts';
import { ServerError } from '../server/server-error.ts';
import { findCollection } from './collection-settings.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

/** The parts of a rule to change: undefined parts are kept. Operations are keys, or such as `GET /pets`. */
export interface RuleOptions {
  readonly operations?: 'all' | 'read_only' | readonly string[];
  readonly except?: readonly string[];
  readonly ask?: readonly string[];
}

/** The person or the group with the grant. */
export type Grantee = { readonly email: string } | { readonly group: string };

type ChangedGrant =
  | ResponseOf<'PUT /api/access/clients/:client_profile_id/collections/:collection_id'>
  | ResponseOf<'PUT /api/groups/:group_id/collections/:collection_id'>;

/** Changes the rule of a grant: which operations may be called, and which calls need a decision. */
export const setRule = async (
  api: Api,
  terminal: Terminal,
  grantee: Grantee,
  reference: string,
  options: RuleOptions,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const names = new Map<string, string>();
  const toKeys = (references: readonly string[]): string[] =>
    references.map((reference) => {
      const key = toKey(reference);
      names.set(key, reference);
      return key;
    });
  const body = {
    operations: typeof options.operations === 'object' ? toKeys(options.operations) : options.operations,
    except: options.except && toKeys(options.except),
    ask: options.ask && toKeys(options.ask),
  };
  const grant = await changeGrant(api, grantee, id, body).catch((error: unknown) => {
    throw nameOperations(error, names);
  });
  const rule = pick(grant, ['operations', 'except', 'ask', 'read_only']);
  terminal.printResult({ outcome: 'changed', ...grantee, collection_id: id, ...rule }, [
    `changed  ${'email' in grantee ? grantee.email : `group ${grantee.group}`}  ${name}: ${describeRule(grant)}`,
    ...describeSuspicious(grant),
  ]);
  return true;
};

const scope = 'access:write';

type Change = NonNullable<CallInput<'PUT /api/groups/:group_id/collections/:collection_id'>['body']>;

const changeGrant = async (api: Api, grantee: Grantee, collectionId: string, body: Change): Promise<ChangedGrant> => {
  if ('group' in grantee) {
    const params = { group_id: grantee.group, collection_id: collectionId };
    return api.call('PUT /api/groups/:group_id/collections/:collection_id', { scope, params, body });
  }
  const query = { profile: grantee.email, collection: collectionId, include_expired: true };
  const rows = await api.callAll('GET /api/access/matrix', { scope: 'access:read', query });
  const direct = rows.find(({ group_name }) => group_name === null);
  if (!direct)
    throw new OperatorError(
      `${grantee.email} has no grant of its own: see "portico access list --profile ${grantee.email}"`,
    );
  const params = { client_profile_id: direct.client_id, collection_id: collectionId };
  return api.call('PUT /api/access/clients/:client_profile_id/collections/:collection_id', { scope, params, body });
};

/** Returns the key of an operation, which its method and path determine. */
const toKey = (reference: string): string => {
  const [, method = '', path] = /^([a-z]+) (\/.*|[^/ ].*)$/i.exec(reference) ?? [];
  const key = parseOperationKey(reference) ?? (path === undefined ? null : operationKeyOf(method.toUpperCase(), path));
  if (key !== null) return key;
  throw new OperatorError(`"${reference}" is no operation: write its key, or its method and path as "GET /pets"`);
};

/** Returns an error that names operations as they were typed. */
const nameOperations = (error: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (!(error instanceof ServerError) || error.status !== 400) return error;
  return new OperatorError(
    error.detail.replace(/\b[a-z2-7]{16}\b/g, (key) => {
      const name = names.get(key);
      return name === undefined || name === key ? key : `"${name}"`;
    }),
  );
};

const describeRule = ({ operations = 'all', except = [], ask = [], read_only: review }: ChangedGrant): string => {
  const allowed = {
    all: 'all operations',
    read_only: `read-only operations${review ? ` (${review.count})` : ''}`,
  };
  return [
    typeof operations === 'string' ? allowed[operations] : formatCount(operations.length, 'operation'),
    ...(except.length > 0 ? [`except ${except.length}`] : []),
    ...(ask.length > 0 ? [`ask for ${ask.length}`] : []),
  ].join(', ');
};

const describeSuspicious = ({ read_only: review }: ChangedGrant): readonly string[] => {
  if (!review || review.suspicious.length === 0) return [];
  const lines = review.suspicious.map(({ operation_key: key, method, path }) => `  ${key}  ${method} ${path}`);
  return ['These sound like a change, although they only read; exclude them with --except:', ...lines];
};
