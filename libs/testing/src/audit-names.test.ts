import { expect, test } from 'vitest';
import {
  createRevision,
  toClientPair,
  personAuthorityOf,
  operatorAuthority,
  type PersonAuthority,
  type Collection,
  type CollectionId,
} from '@portico/domain';

import { createHarness, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

/** Returns the audit entries for the service's own actions, oldest first. */
const listMessages = async ({ ports }: Harness) =>
  (await ports.audit.readPage({ source: 'system' }, 0, 100)).entries
    .toReversed()
    .map(({ message }) => JSON.parse(message) as Record<string, unknown>);

const createHarnessWithAdmin = async () => {
  const harness = createHarness();
  const admin = await harness.useCases.claimFirstAdmin({
    issuer: testIssuer,
    uid: 'root',
    email: 'root@example.com',
  });
  if (!admin) throw new Error('there is already an admin');
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
  const document = await documents.readFile(Buffer.from(text));
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
  const harness = await createHarnessWithAdmin();
  const { useCases, ports, authority, admin, ada } = harness;
  const rootActor = { actor: 'root@example.com' };
  const adaFields = { profile_id: ada.id, profile: 'ada@example.com' };
  const firstCredentials = await useCases.approveProfile(authority, ada.id);
  const newCredentials = await useCases.rotateCredentials(authority, ada.id, 60);
  const { id } = await create(harness, authority, 'Roads');
  const roadsFields = { collection_id: id, collection: 'Roads' };
  await useCases.grantAccess(authority, toClientPair(ada.id, id));
  const row = await ports.callers.findByUid('ada', { id, detail: 'full' }, Date.now());
  if (!row) throw new Error('there is no profile');
  await useCases.readMetadata({ ...row, via: 'token', deadline: null });
  await useCases.updateCollection(authority, id, { name: 'Streets', description: 'of a town', strict: false });
  const tier = { tier: 'gold', allowed: 5, windowSeconds: 60, description: null, isActive: true };
  const rule = { allowed: 7, windowSeconds: 60, isActive: true };
  const ruleFields = { allowed_limit: 7, window_seconds: 60, is_active: true };
  await useCases.createTier(authority, tier);
  await useCases.assignTier(authority, ada.id, 'gold');
  await useCases.removeTier(authority, 'gold');
  const override = await useCases.createOverride(authority, ada.id, rule);
  const overrideFields = { client_id: firstCredentials.clientId, ...adaFields };
  await useCases.updateOverride(authority, override.id, { isActive: false });
  await useCases.removeOverride(authority, override.id);
  await useCases.revokeAccess(authority, toClientPair(ada.id, id));
  await useCases.removeCollection(authority, id);
  await useCases.changeRole(authority, ada.id, 'admin');
  await useCases.startReindex(operatorAuthority);
  await useCases.removeProfile(authority, ada.id);

  const entries = await listMessages(harness);
  expect(entries).toEqual([
    { action: 'admin.bootstrap', profile_id: admin.id, profile: 'root@example.com', issuer: testIssuer },
    { action: 'profile.register', ...adaFields, bound: false },
    { action: 'profile.approve', ...rootActor, ...adaFields, client_id: firstCredentials.clientId },
    { action: 'credentials.rotate', ...rootActor, ...adaFields, grace_seconds: 60 },
    { action: 'collection.create', ...rootActor, ...roadsFields },
    { action: 'access.grant', ...rootActor, ...adaFields, ...roadsFields },
    { action: 'collection.credential_read', actor: 'ada@example.com', ...roadsFields, via: 'token' },
    { action: 'collection.update', ...rootActor, ...roadsFields, fields: ['name', 'description'], new_name: 'Streets' },
    { action: 'tier.create', ...rootActor, tier: 'gold', ...ruleFields, allowed_limit: 5 },
    { action: 'profile.tier', ...rootActor, ...adaFields, tier: 'gold' },
    { action: 'tier.delete', ...rootActor, tier: 'gold' },
    { action: 'override.create', ...rootActor, ...overrideFields, ...ruleFields },
    {
      action: 'override.update',
      ...rootActor,
      override_id: override.id,
      ...overrideFields,
      ...ruleFields,
      is_active: false,
    },
    { action: 'override.delete', ...rootActor, override_id: override.id, ...overrideFields },
    { action: 'access.revoke', ...rootActor, ...adaFields, collection_id: id, collection: 'Streets' },
    { action: 'collection.delete', ...rootActor, collection_id: id, collection: 'Streets' },
    { action: 'profile.role', ...rootActor, ...adaFields, role: 'admin' },
    { action: 'search.reindex', job_id: expect.any(String) as string },
    { action: 'profile.delete', ...rootActor, ...adaFields },
  ]);
  for (const secret of [firstCredentials.secret, newCredentials.secret, 'the upstream secret']) {
    expect(JSON.stringify(entries)).not.toContain(secret);
  }
});

test('the entries for rejecting and reopening a registration name the profile', async () => {
  const harness = await createHarnessWithAdmin();
  await harness.useCases.rejectProfile(harness.authority, harness.ada.id, 'no');
  await harness.useCases.reopenRegistration(harness.authority, harness.ada.id);
  const subjectFields = { actor: 'root@example.com', profile_id: harness.ada.id, profile: 'ada@example.com' };
  expect((await listMessages(harness)).slice(-2)).toEqual([
    { action: 'profile.reject', ...subjectFields },
    { action: 'profile.reopen', ...subjectFields },
  ]);
});

test('a name from an old row becomes one line of bounded length in an entry', async () => {
  const harness = await createHarnessWithAdmin();
  const { ports, useCases, authority } = harness;
  const { id, ...fields } = await create(harness, authority, 'Roads');
  const oldId = '0b9f6a52-3c1e-4c60-9b65-000000000001' as CollectionId;
  const document = await ports.collections.findDocument(id);
  if (!document) throw new Error('there is no document');
  const name = `Roads\r\n{"action":"profile.delete"}\u202e${'x'.repeat(500)}`;
  const effects = { entries: [], jobs: [], deadline: null };
  await ports.collections.add(
    { ...fields, id: oldId, name },
    { packed: document.packed, operations: [], original: null, revision: createRevision(null, null, null) },
    effects,
  );
  await useCases.removeCollection(authority, oldId);
  const { collection } = (await listMessages(harness)).at(-1) ?? {};
  expect(collection).toMatch(/^Roads \{"action":"profile\.delete"\} x+…$/);
  expect(String(collection)).toHaveLength(254);
});

test('an entry is written for each resealed secret, and none for an unchanged one', async () => {
  const harness = await createHarnessWithAdmin();
  const { ports, useCases, authority, ada } = harness;
  const { id } = await create(harness, authority, 'Roads');
  await useCases.approveProfile(authority, ada.id);
  const countBefore = (await listMessages(harness)).length;
  await useCases.resealSecrets(operatorAuthority);
  expect(await listMessages(harness)).toHaveLength(countBefore);
  const [mail] = await ports.outbox.listSealed();
  const cipher = { ...ports.cipher, isCurrent: () => false };
  const harnessWithNewKey = createHarness({}, { ...ports, cipher });
  expect(await harnessWithNewKey.useCases.resealSecrets(operatorAuthority)).toMatchObject({ credentials: 1, mails: 1 });
  expect((await listMessages(harness)).slice(countBefore)).toEqual([
    { action: 'secrets.reseal', collection_id: id, collection: 'Roads' },
    { action: 'secrets.reseal', job_id: mail?.id },
  ]);
});

test('if resealing is interrupted, there is an entry for each changed secret', async () => {
  const harness = await createHarnessWithAdmin();
  const { ports, authority } = harness;
  for (const name of ['a', 'b', 'c']) await create(harness, authority, name);
  const countBefore = (await listMessages(harness)).length;
  const harnessWithNewKey = createHarness({}, { ...ports, cipher: { ...ports.cipher, isCurrent: () => false } });
  const interrupt = (done: number) => {
    if (done === 2) throw new Error('the machine is lost');
  };
  await expect(harnessWithNewKey.useCases.resealSecrets(operatorAuthority, interrupt)).rejects.toThrow('lost');
  expect((await listMessages(harness)).slice(countBefore)).toHaveLength(2);
});
