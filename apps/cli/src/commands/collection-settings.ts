import { parseId } from '@portico/domain';
import { formatColumns } from '../format-columns.ts';
import type { Api } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { attempt, reportOutcomes, type AllDone } from './outcomes.ts';
import { pick } from './pick.ts';
import { readSecret } from './read-secret.ts';

/** The settings to change: undefined members are kept, and null removes a setting. */
export interface CollectionSettings {
  readonly baseUrl?: string | null | undefined;
  /** Replaces all variables. */
  readonly variables?: Readonly<Record<string, string>> | null | undefined;
}

export const setCollection = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  { baseUrl, variables }: CollectionSettings,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const body = { base_url: baseUrl, server_variables: variables };
  const call = { scope: 'catalog:write', params: { collection_id: id }, body } as const;
  await api.call('PUT /api/collections/:collection_id', call);
  terminal.printResult({ outcome: 'set', id, ...body }, [`set  ${name}`]);
  return true;
};

/** The subject of a credential, which is for everyone if both are absent. */
export interface SubjectOptions {
  readonly group?: string;
  readonly profile?: string;
}

/** The options that say which credential it is, and where its secret is read from. */
export interface CredentialOptions extends SubjectOptions {
  readonly username?: string;
  readonly clientId?: string;
  readonly file?: string;
}

/** Stores a credential. Its secret comes from a file or standard input, because others can see arguments. */
export const setCredential = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  scheme: string,
  { username, clientId, file, ...subject }: CredentialOptions,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const secret = await readSecret(terminal, file);
  const body =
    username !== undefined
      ? { username, password: secret }
      : clientId !== undefined
        ? { client_id: clientId, client_secret: secret }
        : { value: secret };
  const credential = await putCredential(api, { collection_id: id, scheme }, body, subject);
  terminal.printResult({ outcome: 'stored', id, ...pick(credential, credentialFields) }, [
    `stored  ${name}  ${scheme}`,
  ]);
  return true;
};

const putCredential = (
  api: Api,
  params: { readonly collection_id: string; readonly scheme: string },
  body: Readonly<Record<string, string>>,
  { group, profile }: SubjectOptions,
) => {
  const path = '/api/collections/:collection_id/credentials/:scheme';
  if (group !== undefined)
    return api.call(`PUT ${path}/groups/:group_id`, { scope: null, params: { ...params, group_id: group }, body });
  if (profile !== undefined)
    return api.call(`PUT ${path}/profiles/:profile_id`, {
      scope: null,
      params: { ...params, profile_id: profile },
      body,
    });
  return api.call(`PUT ${path}`, { scope: null, params, body });
};

const deleteOne = (
  api: Api,
  params: { readonly collection_id: string; readonly scheme: string },
  { group, profile }: SubjectOptions,
): Promise<unknown> => {
  const path = '/api/collections/:collection_id/credentials/:scheme';
  if (group !== undefined)
    return api.call(`DELETE ${path}/groups/:group_id`, { scope: null, params: { ...params, group_id: group } });
  if (profile !== undefined)
    return api.call(`DELETE ${path}/profiles/:profile_id`, { scope: null, params: { ...params, profile_id: profile } });
  return api.call(`DELETE ${path}`, { scope: null, params });
};

const credentialFields = ['scheme', 'kind', 'for', 'created_at', 'updated_at'] as const;

export const listCredentials = async (api: Api, terminal: Terminal, reference: string): Promise<AllDone> => {
  const { id } = await findCollection(api, reference);
  const call = { scope: null, params: { collection_id: id } };
  const credentials = await api.call('GET /api/collections/:collection_id/credentials', call);
  const views = credentials.map((credential) => pick(credential, credentialFields));
  const rows = views.map(({ scheme, kind, for: subject, updated_at }) => [
    scheme,
    kind,
    'group' in subject ? `group ${subject.group}` : 'email' in subject ? subject.email : 'everyone',
    updated_at === null ? "in the API's authentication" : `changed ${updated_at.slice(0, 10)}`,
  ]);
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : ['There are no credentials.']);
  return true;
};

export const deleteCredentials = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  schemes: readonly string[],
  subject: SubjectOptions = {},
): Promise<AllDone> => {
  const { id } = await findCollection(api, reference);
  const deleteEach = async function* () {
    for (const scheme of schemes) {
      const reason = await attempt(() => deleteOne(api, { collection_id: id, scheme }, subject));
      yield [reason === null ? { outcome: 'deleted', scheme } : { outcome: 'refused', scheme, reason }];
    }
  };
  return reportOutcomes(
    terminal,
    deleteEach(),
    ({ scheme, reason }: { outcome: string; scheme: string; reason?: string }) =>
      reason === undefined ? scheme : `${scheme}: ${reason}`,
  );
};

/** The settings to change; undefined members are kept. */
export interface DeliveryOptions {
  readonly delivery?: 'reveal' | 'call';
  readonly ownCredentials?: boolean;
}

export const setDelivery = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  { delivery, ownCredentials }: DeliveryOptions,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const body = { delivery, own_credentials: ownCredentials };
  const call = { scope: null, params: { collection_id: id }, body };
  const state = await api.call('PUT /api/collections/:collection_id/delivery', call);
  const own = state.own_credentials ? 'with own credentials' : 'without own credentials';
  terminal.printResult({ outcome: 'set', id, ...pick(state, ['delivery', 'own_credentials']) }, [
    `set  ${name}  ${state.delivery}  ${own}`,
  ]);
  return true;
};

/** Returns the collection with this id or exact name. An id is checked by the call that uses it. */
export const findCollection = async (
  api: Api,
  reference: string,
): Promise<{ readonly id: string; readonly name: string }> => {
  const id = parseId(reference);
  if (id !== null) return { id, name: id };
  const query = { q: reference, limit: 1_000 };
  const collections = await api.callAll('GET /api/collections/', { scope: 'catalog:read', query });
  const [match, ...otherMatches] = collections.filter(({ name }) => name === reference.trim());
  if (!match) throw new OperatorError(`there is no collection ${reference}: see "portico collections list"`);
  if (otherMatches.length > 0)
    throw new OperatorError(
      `several collections have the name ${reference}: pass an id, as shown by "portico collections list"`,
    );
  return match;
};
