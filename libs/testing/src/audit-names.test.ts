import { expect, test } from 'vitest';
import {
  clientPair,
  personAuthorityOf,
  operatorAuthority,
  type PersonAuthority,
  type Collection,
  type CollectionId,
} from '@portico/domain';

import { createHarness, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

/** Returns the audit entries for the service's own actions, oldest first. */
const messages = async ({ ports }: Harness) =>
  (await ports.audit.page({ source: 'system' }, 0, 100)).entries
    .toReversed()
    .map(({ message }) => JSON.parse(message) as Record<string, unknown>);

const withAdmin = async () => {
  const harness = createHarness();
  const admin = await harness.useCases.claimFirstAdmin({
    issuer: testIssuer,
    uid: 'root',
    email: 'root@example.com',
  });
  if (!admin) throw new Error('there already is an admin');
  const authority: PersonAuthority = personAuthorityOf({ profile: admin, via: 'token', deadline: null });
  const ada = await harness.useCases.registerProfile(
    { uid: 'ada', email: 'ada@example.com', fullName: 'Ada', companyName: null },
    null,
    null,
  );
  return { ...harness, admin, authority, ada };
};

const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths: {} });

const create = async (
  { useCases, documents }: Harness,
  authority: PersonAuthority,
  name: string,
): Promise<Collection> => {
  const document = await documents.readFile(Buffer.from(text), 'json');
  const authentication = { type: 'bearer', name: 'Authorization', value: 'the upstream secret' } as const;
  const createdBy = (await useCases.listProfiles(authority))[0]?.id;
  if (!createdBy) throw new Error('there is no profile');
  return useCases.createCollection(authority, createdBy, {
    name,
    description: '',
    authentication,
    document,
    strict: false,
  });
};

test('every entry of the service names its objects and its actor, even after they are deleted', async () => {
  const harness = await withAdmin();
  const { useCases, ports, authority, admin, ada } = harness;
  const byRoot = { actor: 'root@example.com' };
  const ofAda = { profile_id: ada.id, profile: 'ada@example.com' };
  const first = await useCases.approveProfile(authority, ada.id);
  const second = await useCases.rotateCredentials(authority, ada.id, 60);
  const { id } = await create(harness, authority, 'Roads');
  const ofRoads = { collection_id: id, collection: 'Roads' };
  await useCases.grantAccess(authority, clientPair(ada.id, id));
  const row = await ports.callers.byUid('ada', { id, part: 'whole' }, Date.now());
  if (!row) throw new Error('there is no profile');
  await useCases.readMetadata({ ...row, via: 'token', deadline: null });
  await useCases.updateCollection(authority, id, { name: 'Streets', description: 'of a town', strict: false });
  const tier = { tier: 'gold', allowed: 5, windowSeconds: 60, description: null, isActive: true };
  const rule = { allowed: 7, windowSeconds: 60, isActive: true };
  const rules = { allowed_limit: 7, window_seconds: 60, is_active: true };
  await useCases.createTier(authority, tier);
  await useCases.assignTier(authority, ada.id, 'gold');
  await useCases.removeTier(authority, 'gold');
  const override = await useCases.createOverride(authority, ada.id, rule);
  const ofOverride = { client_id: first.clientId, ...ofAda };
  await useCases.updateOverride(authority, override.id, { isActive: false });
  await useCases.removeOverride(authority, override.id);
  await useCases.revokeAccess(authority, clientPair(ada.id, id));
  await useCases.removeCollection(authority, id);
  await useCases.changeRole(authority, ada.id, 'admin');
  await useCases.startReindex(operatorAuthority);
  await useCases.removeProfile(authority, ada.id);

  const entries = await messages(harness);
  expect(entries).toEqual([
    { action: 'admin.bootstrap', profile_id: admin.id, profile: 'root@example.com', issuer: testIssuer },
    { action: 'profile.register', ...ofAda, bound: false },
    { action: 'profile.approve', ...byRoot, ...ofAda, client_id: first.clientId },
    { action: 'credentials.rotate', ...byRoot, ...ofAda, grace_seconds: 60 },
    { action: 'collection.create', ...byRoot, ...ofRoads },
    { action: 'access.grant', ...byRoot, ...ofAda, ...ofRoads },
    { action: 'collection.credential_read', actor: 'ada@example.com', ...ofRoads, via: 'token' },
    { action: 'collection.update', ...byRoot, ...ofRoads, fields: ['name', 'description'], new_name: 'Streets' },
    { action: 'tier.create', ...byRoot, tier: 'gold', ...rules, allowed_limit: 5 },
    { action: 'profile.tier', ...byRoot, ...ofAda, tier: 'gold' },
    { action: 'tier.delete', ...byRoot, tier: 'gold' },
    { action: 'override.create', ...byRoot, ...ofOverride, ...rules },
    { action: 'override.update', ...byRoot, override_id: override.id, ...ofOverride, ...rules, is_active: false },
    { action: 'override.delete', ...byRoot, override_id: override.id, ...ofOverride },
    { action: 'access.revoke', ...byRoot, ...ofAda, collection_id: id, collection: 'Streets' },
    { action: 'collection.delete', ...byRoot, collection_id: id, collection: 'Streets' },
    { action: 'profile.role', ...byRoot, ...ofAda, role: 'admin' },
    { action: 'search.reindex', job_id: expect.any(String) as string },
    { action: 'profile.delete', ...byRoot, ...ofAda },
  ]);
  for (const secret of [first.secret, second.secret, 'the upstream secret']) {
    expect(JSON.stringify(entries)).not.toContain(secret);
  }
});

test('the entries of a rejection and of a reopening name the profile', async () => {
  const harness = await withAdmin();
  await harness.useCases.rejectProfile(harness.authority, harness.ada.id, 'no');
  await harness.useCases.reopenRegistration(harness.authority, harness.ada.id);
  const objects = { actor: 'root@example.com', profile_id: harness.ada.id, profile: 'ada@example.com' };
  expect((await messages(harness)).slice(-2)).toEqual([
    { action: 'profile.reject', ...objects },
    { action: 'profile.reopen', ...objects },
  ]);
});

test('a name from an old row is one line of bounded length in an entry', async () => {
  const harness = await withAdmin();
  const { ports, useCases, authority } = harness;
  const { id, ...facts } = await create(harness, authority, 'Roads');
  const old = '0b9f6a52-3c1e-4c60-9b65-000000000001' as CollectionId;
  const document = await ports.collections.document(id);
  if (!document) throw new Error('there is no document');
  const name = `Roads\r\n{"action":"profile.delete"}\u202e${'x'.repeat(500)}`;
  const effects = { entries: [], jobs: [], deadline: null };
  await ports.collections.add({ ...facts, id: old, name }, { packed: document.packed, operations: [] }, effects);
  await useCases.removeCollection(authority, old);
  const { collection } = (await messages(harness)).at(-1) ?? {};
  expect(collection).toMatch(/^Roads \{"action":"profile\.delete"\} x+…$/);
  expect(String(collection)).toHaveLength(254);
});

test('each resealed secret causes an entry, and an unchanged secret causes none', async () => {
  const harness = await withAdmin();
  const { ports, useCases, authority, ada } = harness;
  const { id } = await create(harness, authority, 'Roads');
  await useCases.approveProfile(authority, ada.id);
  const before = (await messages(harness)).length;
  await useCases.resealSecrets(operatorAuthority);
  expect(await messages(harness)).toHaveLength(before);
  const [mail] = await ports.outbox.sealed();
  const cipher = { ...ports.cipher, isCurrent: () => false };
  const harnessWithNewKey = createHarness({}, { ...ports, cipher });
  expect(await harnessWithNewKey.useCases.resealSecrets(operatorAuthority)).toMatchObject({ credentials: 1, mails: 1 });
  expect((await messages(harness)).slice(before)).toEqual([
    { action: 'secrets.reseal', collection_id: id, collection: 'Roads' },
    { action: 'secrets.reseal', job_id: mail?.id },
  ]);
});

test('an interrupted resealing causes an entry for each changed secret', async () => {
  const harness = await withAdmin();
  const { ports, authority } = harness;
  for (const name of ['a', 'b', 'c']) await create(harness, authority, name);
  const before = (await messages(harness)).length;
  const harnessWithNewKey = createHarness({}, { ...ports, cipher: { ...ports.cipher, isCurrent: () => false } });
  const interrupt = (done: number) => {
    if (done === 2) throw new Error('the machine is lost');
  };
  await expect(harnessWithNewKey.useCases.resealSecrets(operatorAuthority, interrupt)).rejects.toThrow('lost');
  expect((await messages(harness)).slice(before)).toHaveLength(2);
});
