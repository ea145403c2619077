import { nameKey, toIso, type Instant, type Scope } from '@portico/domain';
import { shownEnd } from '../last-day.ts';
import type { Api, LineOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';
import type { AllDone } from './outcomes.ts';
import { picked } from './picked.ts';

export interface NewAccountOptions {
  readonly scope: Scope[];
  readonly expires?: Instant;
}

type Account = LineOf<'GET /api/service-accounts'>;

const accountFields = [
  'id',
  'name',
  'scopes',
  'expires_at',
  'created_by',
  'created_at',
  'updated_at',
] as const satisfies (keyof Account)[];

/** Creates a service account and prints its token, which nothing shows again. */
export const addAccount = async (
  api: Api,
  terminal: Terminal,
  name: string,
  { scope: scopes, expires }: NewAccountOptions,
): Promise<AllDone> => {
  const end = expires === undefined ? {} : { expires_at: toIso(expires) };
  const body = { name: newName(name), scopes: [...new Set(scopes)], ...end };
  const issued = await api.call('POST /api/service-accounts', { scope: null, body });
  return showIssued(terminal, issued, `Created the service account ${issued.name}.`);
};

export const listAccounts = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const accounts = await accountsAt(api);
  const lines = accounts.map(
    ({ name, scopes, expires_at }) =>
      `${name}  ${scopes.join(' ')}${expires_at === null ? '' : `  until ${shownEnd(expires_at)}`}`,
  );
  const shown = accounts.map((one) => picked(one, accountFields));
  terminal.result(shown, lines.length > 0 ? lines : ['There is no service account.']);
  return true;
};

/** Prints the new token; the one before stays valid for `grace_seconds`. */
export const rotateAccount = async (
  api: Api,
  terminal: Terminal,
  name: string,
  grace_seconds: number,
): Promise<AllDone> => {
  const { id: account_id } = await accountNamed(api, name);
  const call = { scope: null, params: { account_id }, body: { grace_seconds } };
  const issued = await api.call('POST /api/service-accounts/:account_id/rotate', call);
  const before = grace_seconds > 0 ? `stays valid for ${grace_seconds} seconds` : 'is no longer valid';
  return showIssued(terminal, issued, `Replaced the token of ${issued.name}; the one before ${before}.`);
};

export const deleteAccount = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  const account = await accountNamed(api, name);
  await api.call('DELETE /api/service-accounts/:account_id', { scope: null, params: { account_id: account.id } });
  terminal.result(picked(account, accountFields), [`${account.name} is revoked.`]);
  return true;
};

const accountsAt = (api: Api): Promise<readonly Account[]> => api.call('GET /api/service-accounts', { scope: null });

const accountNamed = async (api: Api, name: string): Promise<Account> => {
  const key = nameKey(name.trim());
  const account = (await accountsAt(api)).find((one) => nameKey(one.name) === key);
  if (!account) throw new OperatorError(`there is no service account ${name}: "accounts list" shows them`);
  return account;
};

/** The token stands alone on standard output, so that a script can take it. */
const showIssued = (terminal: Terminal, issued: Account & { readonly token: string }, said: string): AllDone => {
  terminal.note(`${said} Its token is shown only this once:`);
  terminal.result(picked(issued, [...accountFields, 'token']), [issued.token]);
  return true;
};
