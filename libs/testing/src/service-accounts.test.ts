import {
  accountIdOf,
  accountsMax,
  authorityOf,
  makeAccountToken,
  personAuthorityOf,
  scopes,
  type Credential,
  type Ports,
  type Scope,
} from '@portico/domain';
import { anAccount, anAccountKey, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async (replace: (original: Ports) => Partial<Ports> = () => ({})) => {
  const baseHarness = createHarness();
  const harness = createHarness({}, { ...baseHarness.ports, ...replace(baseHarness.ports) });
  const fixtures = await createFixtures({ ...harness, tokens: baseHarness.tokens });
  const create = (name: string, accountScopes: readonly Scope[] = ['audit:read']) =>
    harness.useCases.createServiceAccount(fixtures.authority, { name, scopes: accountScopes, expiresAt: null });
  const admit = async (token: string, scope: Scope | null = 'audit:read') => {
    const request = { auth: 'admin', target: null, sender: { address: '192.0.2.1' }, deadline: null } as const;
    return (await harness.useCases.admit({ ...request, credential: credentialOf(token), scope })).principal;
  };
  return { ...harness, ...fixtures, create, admit };
};

const credentialOf = (token: string): Credential => {
  const id = accountIdOf(token);
  if (!id) throw new Error('Not well formed');
  return { kind: 'account', id, token };
};

test(`there are at most ${accountsMax} accounts`, async () => {
  const { ports, useCases, authority, create } = await setUp();
  for (let count = 1; count < accountsMax; count += 1)
    await ports.serviceAccounts.add(() => ({ account: anAccount(), key: anAccountKey(), ...noEffects }));
  const { account } = await create('the last');
  const message = `Too many service accounts: revoke some of the ${accountsMax} first`;
  await expect(create('one too many')).rejects.toThrow(message);
  expect(await useCases.listServiceAccounts(authority)).toHaveLength(accountsMax);
  await useCases.revokeServiceAccount(authority, account.id);
  await create('in its place');
});

test('a token of an unknown account and a wrong token of a known account are rejected before any hash is computed', async () => {
  let hashes = 0;
  const { create, admit } = await setUp(({ keys }) => ({
    keys: {
      hash: (...args) => keys.hash(...args),
      tag: (secret) => keys.tag(secret),
      matches: (...args) => ((hashes += 1), keys.matches(...args)),
    },
  }));
  const { account, token } = await create('robot');
  const invalidSecretBytes = [new Uint8Array(32), Uint8Array.from({ length: 32 }, () => 7)];
  const unknownId = '0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81' as typeof account.id;
  for (const random of invalidSecretBytes) {
    for (const id of [account.id, unknownId])
      await expect(admit(makeAccountToken(id, random))).rejects.toThrow('Invalid or expired token');
  }
  expect(hashes).toBe(0);
  await admit(token);
  expect(hashes).toBe(1);
});

test('an account without a key, as after a reset of the secrets key, is rejected until its token is rotated', async () => {
  const { ports, useCases, authority, create, admit } = await setUp();
  const { account, token } = await create('robot');
  await ports.serviceAccounts.update(account.id, (state) => ({ ...state, key: null, ...noEffects }));
  await expect(admit(token)).rejects.toThrow('Invalid or expired token');
  const rotatedAccount = await useCases.rotateServiceAccount(authority, account.id, 60);
  expect((await admit(rotatedAccount.token)).profile.id).toBe(account.id);
});

test('a request that requires no scope is denied to every account, regardless of its scopes', async () => {
  const { create, admit } = await setUp();
  const { token } = await create('robot', scopes);
  await expect(admit(token, null)).rejects.toThrow('Not available to service accounts');
  for (const scope of scopes) expect((await admit(token, scope)).via).toBe('account');
});

test('the authority of an account is not that of a person, so it can create neither admins nor accounts', async () => {
  const { useCases, create, admit, admin, admitByToken } = await setUp();
  const { account, token } = await create('robot', scopes);
  const principal = await admit(token);
  const authority = authorityOf(principal);
  expect(() => personAuthorityOf(principal)).toThrow('Not available to service accounts');
  expect(personAuthorityOf(await admitByToken('root'))).toMatchObject({ actor: { id: admin.id } });
  // This tests the types and is never run: these calls do not compile.
  void (() => [
    // @ts-expect-error It requires the authority of a person.
    useCases.createServiceAccount(authority, { name: 'another', scopes, expiresAt: null }),
    // @ts-expect-error It requires the authority of a person.
    useCases.rotateServiceAccount(authority, account.id, 0),
    // @ts-expect-error It requires the authority of a person.
    useCases.changeRole(authority, admin.id, 'admin'),
    // @ts-expect-error It requires the authority of a person.
    useCases.approveProfile(authority, admin.id),
    // @ts-expect-error It requires the authority of a person.
    useCases.rotateCredentials(authority, admin.id, 0),
    // @ts-expect-error It requires the authority of a person.
    useCases.removeProfile(authority, admin.id),
  ]);
});
