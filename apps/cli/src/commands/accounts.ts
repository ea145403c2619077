import { toNameKey, toIso, type Instant, type Scope } from '@portico/domain';
import { formatExpiry } from '../format-expiry.ts';
import type { Api, LineOf } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

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

/** Creates a service account and prints its token, which is not shown again. */
export const addAccount = async (
  api: Api,
  terminal: Terminal,
  name: string,
  { scope: scopes, expires }: NewAccountOptions,
): Promise<AllDone> => {
  const expiry = expires === undefined ? {} : { expires_at: toIso(expires) };
  const body = { name: newName(name), scopes: [...new Set(scopes)], ...expiry };
  const issuedAccount = await api.call('POST /api/service-accounts', { scope: null, body });
  return showIssuedToken(terminal, issuedAccount, `Created the service account ${issuedAccount.name}.`);
};

export const listAccounts = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const accounts = await fetchAccounts(api);
  const lines = accounts.map(
    ({ name, scopes, expires_at }) =>
      `${name}  ${scopes.join(' ')}${expires_at === null ? '' : `  until ${formatExpiry(expires_at)}`}`,
  );
  const views = accounts.map((account) => pick(account, accountFields));
  terminal.printResult(views, lines.length > 0 ? lines : ['There are no service accounts.']);
  return true;
};

/** Rotates the token and prints the new one; the previous one remains valid for `grace_seconds`. */
export const rotateAccount = async (
  api: Api,
  terminal: Terminal,
  name: string,
  grace_seconds: number,
): Promise<AllDone> => {
  const { id: account_id } = await findAccount(api, name);
  const call = { scope: null, params: { account_id }, body: { grace_seconds } };
  const issuedAccount = await api.call('POST /api/service-accounts/:account_id/rotate', call);
  const previousTokenStatus = grace_seconds > 0 ? `is valid for ${grace_seconds} more seconds` : 'is no longer valid';
  return showIssuedToken(
    terminal,
    issuedAccount,
    `Replaced the token of ${issuedAccount.name}; the previous one ${previousTokenStatus}.`,
  );
};

export const deleteAccount = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  const account = await findAccount(api, name);
  await api.call('DELETE /api/service-accounts/:account_id', { scope: null, params: { account_id: account.id } });
  terminal.printResult(pick(account, accountFields), [`${account.name} is revoked.`]);
  return true;
};

const fetchAccounts = (api: Api): Promise<readonly Account[]> => api.call('GET /api/service-accounts', { scope: null });

const findAccount = async (api: Api, name: string): Promise<Account> => {
  const key = toNameKey(name.trim());
  const account = (await fetchAccounts(api)).find((candidate) => toNameKey(candidate.name) === key);
  if (!account) throw new OperatorError(`there is no service account ${name}: see "portico accounts list"`);
  return account;
};

/** Prints only the token on standard output, so that a script can read it. */
const showIssuedToken = (
  terminal: Terminal,
  issuedAccount: Account & { readonly token: string },
  summary: string,
): AllDone => {
  terminal.printNote(`${summary} Its token is shown only this once:`);
  terminal.printResult(pick(issuedAccount, [...accountFields, 'token']), [issuedAccount.token]);
  return true;
};
