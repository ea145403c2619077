import type { PersonAuthority } from '../../access/principal.ts';
import { secretBytes } from '../../checked-secret.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import type { ServiceAccountId } from '../../ids.ts';
import { type Instant, nextChangeAt, toIso } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccountState } from '../../ports/service-account-store.ts';
import type { StoredSecret } from '../../profiles/api-key.ts';
import { makeAccountToken } from '../../service-accounts/account-token.ts';
import {
  accountsMax,
  type IssuedAccount,
  scopesOf,
  type Scope,
  type ServiceAccount,
} from '../../service-accounts/service-account.ts';
import { createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import { toStoredSecret } from '../profiles/issue-credentials.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'keys' | 'serviceAccounts'>;

export interface NewServiceAccount {
  readonly name: string;
  /** The scopes, at least one. */
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant | null;
}

/** Changes to a service account; undefined members leave it unchanged. */
export interface ServiceAccountChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: Instant | null | undefined;
}

/**
 * Creates a service account and its token, which is returned only this once. Throws `invalid_body` for an expiry in the
 * past, and `service_account_taken` and `too_many_service_accounts`.
 */
export const createServiceAccount =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, input: NewServiceAccount): Promise<IssuedAccount> => {
    const now = ports.clock.now();
    rejectPastExpiry(input.expiresAt, now);
    const id = ports.random.uuid() as ServiceAccountId;
    const { token, storedSecret } = await createToken(ports, id, authority.deadline);
    const account: ServiceAccount = {
      id,
      name: input.name,
      scopes: scopesOf(input.scopes),
      expiresAt: input.expiresAt,
      createdBy: authority.actor?.id ?? null,
      createdAt: now,
      updatedAt: now,
    };
    const effects = createAuditEffects(ports, authority, {
      action: 'service_account.create',
      ...auditFieldsOf(account),
    });
    await ports.serviceAccounts.add((count) => {
      if (count >= accountsMax)
        throw new PorticoError('too_many_service_accounts', { reason: `revoke some of the ${accountsMax} first` });
      return { account, key: { current: storedSecret, previous: null }, ...effects };
    });
    return { account, token };
  };

/** Returns all accounts, sorted by name; never returns a secret. */
export const listServiceAccounts =
  ({ serviceAccounts }: RequiredPorts) =>
  (_authority: PersonAuthority): Promise<readonly ServiceAccount[]> =>
    serviceAccounts.list();

/** Returns one account; throws `service_account_not_found`. */
export const readServiceAccount =
  ({ serviceAccounts }: RequiredPorts) =>
  async (_authority: PersonAuthority, id: ServiceAccountId): Promise<ServiceAccount> => {
    const account = await serviceAccounts.find(id);
    if (!account) throw new PorticoError('service_account_not_found');
    return account;
  };

/**
 * Changes the name, scopes or expiry, as of the next request; the token is kept. Writes nothing if nothing changes.
 */
export const updateServiceAccount =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: ServiceAccountId, change: ServiceAccountChange): Promise<ServiceAccount> => {
    const now = ports.clock.now();
    rejectPastExpiry(change.expiresAt, now);
    return ports.serviceAccounts.update(id, ({ account: current, key }) => {
      const next: ServiceAccount = {
        ...current,
        name: change.name ?? current.name,
        scopes: change.scopes ? scopesOf(change.scopes) : current.scopes,
        expiresAt: change.expiresAt === undefined ? current.expiresAt : change.expiresAt,
      };
      if (isSame(current, next)) return { account: current, key, deadline: authority.deadline };
      const account = { ...next, updatedAt: nextChangeAt(current.updatedAt, now) };
      return {
        account,
        key,
        ...createAuditEffects(ports, authority, { action: 'service_account.update', ...auditFieldsOf(account) }),
      };
    });
  };

/** Replaces the token; the previous one remains valid for `graceSeconds`. Throws `service_account_not_found`. */
export const rotateServiceAccount =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: ServiceAccountId, graceSeconds: number): Promise<IssuedAccount> => {
    // Fails early, before a hash is computed unnecessarily.
    await readServiceAccount(ports)(authority, id);
    const { token, storedSecret } = await createToken(ports, id, authority.deadline);
    const now = ports.clock.now();
    const account = await ports.serviceAccounts.update(id, (state) => ({
      ...rotateKey(state, storedSecret, graceSeconds, now),
      ...createAuditEffects(ports, authority, {
        action: 'service_account.rotate',
        ...auditFieldsOf(state.account),
        grace_seconds: graceSeconds,
      }),
    }));
    return { account, token };
  };

/** Removes the account: no later request with its token is admitted. Throws `service_account_not_found`. */
export const revokeServiceAccount =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: ServiceAccountId): Promise<void> => {
    await ports.serviceAccounts.remove(id, (account) =>
      createAuditEffects(ports, authority, { action: 'service_account.revoke', ...auditFieldsOf(account) }),
    );
  };

const isSame = (a: ServiceAccount, b: ServiceAccount): boolean =>
  a.name === b.name && a.expiresAt === b.expiresAt && a.scopes.join() === b.scopes.join();

const rotateKey = (
  { account, key }: AccountState,
  storedSecret: StoredSecret,
  graceSeconds: number,
  now: Instant,
): AccountState => ({
  account: { ...account, updatedAt: nextChangeAt(account.updatedAt, now) },
  key: {
    current: storedSecret,
    previous: key && graceSeconds > 0 ? { ...key.current, until: now + graceSeconds * 1_000 } : null,
  },
});

const createToken = async (
  { random, keys }: Pick<Ports, 'random' | 'keys'>,
  id: ServiceAccountId,
  deadline: Deadline | null,
): Promise<{ readonly token: string; readonly storedSecret: StoredSecret }> => {
  const token = makeAccountToken(id, random.bytes(secretBytes));
  return { token, storedSecret: await toStoredSecret(keys, token, deadline) };
};

/** Returns the members of an audit entry: the account, its scopes and its expiry. */
const auditFieldsOf = ({ id, name, scopes, expiresAt }: ServiceAccount): Omit<SystemMessage, 'action'> => ({
  service_account_id: id,
  service_account: name,
  scopes,
  expires_at: expiresAt === null ? null : toIso(expiresAt),
});
