import type { Portico } from '@portico/composition';
import {
  operatorAuthority,
  toIso,
  type Instant,
  type IssuedAccount,
  type Scope,
  type ServiceAccount,
} from '@portico/domain';
import { shownEnd } from '../last-day.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';

export interface NewAccountOptions {
  readonly scope: readonly Scope[];
  readonly expires?: Instant;
}

/** Creates a service account and prints its token, which nothing shows again. */
export const createAccount = async (
  { useCases }: Portico,
  terminal: Terminal,
  name: string,
  { scope, expires }: NewAccountOptions,
): Promise<void> => {
  const issued = await useCases.createServiceAccount(operatorAuthority, {
    name: newName(name),
    scopes: scope,
    expiresAt: expires ?? null,
  });
  showIssued(terminal, issued, `Created the service account ${issued.account.name}.`);
};

export const listAccounts = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const accounts = await useCases.listServiceAccounts(operatorAuthority);
  terminal.result(accounts.map(viewOf), accounts.length > 0 ? accounts.map(lineOf) : ['There is no service account.']);
};

/** Prints the new token; the one before stays valid for `graceSeconds`. */
export const rotateAccount = async (
  portico: Portico,
  terminal: Terminal,
  name: string,
  graceSeconds: number,
): Promise<void> => {
  const { id } = await accountNamed(portico, name);
  const issued = await portico.useCases.rotateServiceAccount(operatorAuthority, id, graceSeconds);
  const before = graceSeconds > 0 ? `stays valid for ${graceSeconds} seconds` : 'is no longer valid';
  showIssued(terminal, issued, `Replaced the token of ${issued.account.name}; the one before ${before}.`);
};

export const revokeAccount = async (portico: Portico, terminal: Terminal, name: string): Promise<void> => {
  const account = await accountNamed(portico, name);
  await portico.useCases.revokeServiceAccount(operatorAuthority, account.id);
  terminal.result(viewOf(account), [`${account.name} is revoked.`]);
};

const accountNamed = async ({ useCases }: Portico, name: string): Promise<ServiceAccount> => {
  const account = await useCases.findServiceAccount(operatorAuthority, name);
  if (!account) throw new OperatorError(`there is no service account ${name}: "service-account list" shows them`);
  return account;
};

/** The token stands alone on standard output, so that a script can take it. */
const showIssued = (terminal: Terminal, { account, token }: IssuedAccount, said: string): void => {
  terminal.note(`${said} Its token is shown only this once:`);
  terminal.result({ ...viewOf(account), token }, [token]);
};

const viewOf = ({ id, name, scopes, expiresAt, createdBy, createdAt, updatedAt }: ServiceAccount) => ({
  id,
  name,
  scopes,
  expires_at: expiresAt === null ? null : toIso(expiresAt),
  created_by: createdBy,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});

const lineOf = ({ name, scopes, expiresAt }: ServiceAccount): string =>
  `${name}  ${scopes.join(' ')}${expiresAt === null ? '' : `  until ${shownEnd(toIso(expiresAt))}`}`;
