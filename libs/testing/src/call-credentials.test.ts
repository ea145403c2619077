import {
  operatorAuthority,
  readCallCredentials,
  type CallCredential,
  type Collection,
  type CollectionId,
  type GroupId,
  type Principal,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createHarness, type Harness } from './harness.ts';

const bearer = { type: 'http', scheme: 'bearer' };
const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
const noEffects = { entries: [], jobs: [], deadline: null };

const readDocument = ({ documents }: Harness, fields: object = {}) =>
  documents.readFile(
    Buffer.from(
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'Roads', version: '1' },
        servers: [{ url: 'https://roads.example/v1' }],
        paths: {},
        components: { securitySchemes: { token: bearer, key } },
        ...fields,
      }),
    ),
  );

const createCollection = async (harness: Harness, fields: object = {}): Promise<CollectionId> => {
  const document = await readDocument(harness);
  const input = { name: 'Roads', description: '', authentication: null, document, strict: false, ...fields };
  return (await harness.useCases.createCollection(operatorAuthority, 'someone' as ProfileId, input)).id;
};

const addProfile = async ({ ports }: Harness, email: string): Promise<Profile> => {
  const profile = {
    ...{ id: ports.random.uuid() as ProfileId, email, fullName: 'Ada', companyName: null, role: 'client' },
    ...{ status: 'approved', uid: email, issuer: null, clientId: ports.random.uuid(), tier: null, suspendedAt: null },
    ...{ createdAt: 1, updatedAt: 1, approvedAt: 1 },
  } as unknown as Profile;
  await ports.profiles.add(profile, noEffects);
  return profile;
};

const addGroup = async ({ ports }: Harness, name: string, ...members: readonly Profile[]): Promise<GroupId> => {
  const id = ports.random.uuid() as GroupId;
  await ports.groups.add({ id, name, description: '', tier: null, createdAt: 1, updatedAt: 1 }, noEffects);
  await ports.groups.updateMembers(
    id,
    members.map((member) => member.id),
    1,
    (_group, states) => ({ add: states.map((state) => ({ id: state.id, addedAt: 1 })), ...noEffects }),
  );
  return id;
};

const principalOf = async (
  { ports }: Harness,
  id: CollectionId,
  profile: Profile,
  via: Principal['via'] = 'token',
): Promise<Principal<Collection>> => {
  const target = await ports.collections.find(id);
  const epochs = { grants: 0, groups: 0, catalog: 0, embeddings: 0, operations: 0, searchModel: null };
  const limits = { override: null, tier: null, groupTier: null };
  return {
    profile,
    limits,
    epochs,
    target,
    ownsTarget: false,
    hasGrant: true,
    accessUntil: null,
    rules: [],
    readAt: 1,
    via,
    deadline: null,
  };
};

const readCredentials = async (harness: Harness, id: CollectionId, profile: Profile, via?: Principal['via']) =>
  readCallCredentials(harness.ports)(await principalOf(harness, id, profile, via));

const value = (text: string) => ({ kind: 'value', value: text }) as const;
const valueOf = (credential: CallCredential | null) =>
  credential && (credential.content.kind === 'value' ? credential.content.value : credential.content.kind);

test("a profile's calls use its own credential, or else its group's, or else the one for everyone", async () => {
  const harness = createHarness();
  const { useCases } = harness;
  const [collectionId, ada] = [await createCollection(harness), await addProfile(harness, 'ada@example.com')];
  const group = { kind: 'group', id: await addGroup(harness, 'Crew', ada) } as const;
  const profile = { kind: 'profile', id: ada.id } as const;
  const open = async (via?: Principal['via']) =>
    valueOf((await readCredentials(harness, collectionId, ada, via)).open('key'));
  expect(await open()).toBeNull();
  await useCases.setCredential(operatorAuthority, collectionId, 'key', value('for everyone'));
  expect(await open()).toBe('for everyone');
  await useCases.setSubjectCredential(
    operatorAuthority,
    { collectionId, scheme: 'key', subject: group },
    value('crew'),
  );
  expect(await open()).toBe('crew');
  const own = { collectionId, scheme: 'key', subject: profile };
  await useCases.setSubjectCredential(operatorAuthority, own, value('own'));
  expect(await open()).toBe('own');
  expect(await open('account')).toBe('for everyone');
  await useCases.removeSubjectCredential(operatorAuthority, own);
  await useCases.removeMember(operatorAuthority, group.id, ada.id);
  expect(await open()).toBe('for everyone');
});

test('credentials of several groups are ambiguous, and the error names the groups, unless the profile has its own', async () => {
  const harness = createHarness();
  const { useCases } = harness;
  const [collectionId, ada] = [await createCollection(harness), await addProfile(harness, 'ada@example.com')];
  for (const name of ['Crew B', 'Crew A']) {
    const subject = { kind: 'group', id: await addGroup(harness, name, ada) } as const;
    await useCases.setSubjectCredential(operatorAuthority, { collectionId, scheme: 'key', subject }, value(name));
  }
  const credentials = await readCredentials(harness, collectionId, ada);
  expect(credentials.schemes).toEqual(['key']);
  expect(() => credentials.open('key')).toThrow(/^Several credentials fit: .*Crew A, Crew B/);
  const subject = { kind: 'profile', id: ada.id } as const;
  await useCases.setSubjectCredential(operatorAuthority, { collectionId, scheme: 'key', subject }, value('own'));
  expect(valueOf((await readCredentials(harness, collectionId, ada)).open('key'))).toBe('own');
});

test('the `authentication` is the credential of its scheme, found without parsing the document again, or of none', async () => {
  const harness = createHarness();
  let reads = 0;
  const documents: Harness['documents'] = {
    ...harness.documents,
    readSecuritySchemes: (...args) => {
      reads++;
      return harness.documents.readSecuritySchemes(...args);
    },
  };
  const { useCases } = harness;
  const readCached = readCallCredentials({ ...harness.ports, documents });
  const ada = await addProfile(harness, 'ada@example.com');
  const id = await createCollection(harness, { authentication: { type: 'bearer', name: null, value: 't0ken' } });
  for (let count = 0; count < 3; count++) {
    const credentials = await readCached(await principalOf(harness, id, ada));
    expect(credentials.schemes).toEqual(['token']);
    expect(credentials.open('token')).toEqual({
      ...{ id: 'authentication', scheme: 'token', content: value('t0ken') },
      ...{ origins: ['https://roads.example'], updatedAt: null },
    });
  }
  expect(reads).toBe(1);
  const authentication = { type: 'apiKey', name: 'X-Other', in: null, value: 'other' } as const;
  await useCases.updateCollection(operatorAuthority, id, { authentication, strict: false });
  const credentials = await readCached(await principalOf(harness, id, ada));
  expect(credentials.schemes).toEqual([]);
  expect([valueOf(credentials.open(null)), credentials.open('token')]).toEqual(['other', null]);
});

test('a row that is copied to another subject, scheme or collection cannot be opened', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const [collectionId, otherId] = [await createCollection(harness), await createCollection(harness)];
  const [ada, bob] = [await addProfile(harness, 'ada@example.com'), await addProfile(harness, 'bob@example.com')];
  const group = { kind: 'group', id: await addGroup(harness, 'Crew', bob) } as const;
  const subject = { kind: 'profile', id: ada.id } as const;
  await useCases.setSubjectCredential(operatorAuthority, { collectionId, scheme: 'key', subject }, value('s3cret'));
  const [row] = await ports.credentials.listUsable(collectionId, ada.id);
  if (!row) throw new Error('there is no credential');
  const copy = async (id: CollectionId, scheme: string, target: typeof subject | typeof group) =>
    ports.credentials.updateSubject(id, scheme, target, () => ({
      credential: { ...row, id: ports.random.uuid() as typeof row.id, scheme },
      ...noEffects,
    }));
  await copy(collectionId, 'key', { kind: 'profile', id: bob.id });
  await copy(collectionId, 'token', subject);
  await copy(otherId, 'key', subject);
  await copy(otherId, 'key', group);
  expect(valueOf((await readCredentials(harness, collectionId, ada)).open('key'))).toBe('s3cret');
  const ofBob = await readCredentials(harness, collectionId, bob);
  expect(() => ofBob.open('key')).toThrow();
  const ofAda = await readCredentials(harness, collectionId, ada);
  expect(() => ofAda.open('token')).toThrow();
  const elsewhere = await readCredentials(harness, otherId, ada);
  expect(() => elsewhere.open('key')).toThrow();
  await ports.credentials.update(collectionId, (collection) => ({ collection, credentials: [row], ...noEffects }));
  const forEveryone = await readCredentials(harness, collectionId, ada, 'account');
  expect(() => forEveryone.open('key')).toThrow();
});

test('resealing and a reset of the keys include the credentials of subjects', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const [collectionId, ada] = [await createCollection(harness), await addProfile(harness, 'ada@example.com')];
  const subject = { kind: 'profile', id: ada.id } as const;
  await useCases.setSubjectCredential(operatorAuthority, { collectionId, scheme: 'key', subject }, value('s3cret'));
  const [before] = await ports.credentials.listSubjects(collectionId);
  const outdated = { ...ports.cipher, isCurrent: () => false };
  const result = await createHarness({}, { ...ports, cipher: outdated }).useCases.resealSecrets(operatorAuthority);
  expect(result).toMatchObject({ credentials: 1, unreadable: [] });
  const [after] = await ports.credentials.listSubjects(collectionId);
  expect(after).toEqual({ ...before, sealed: after?.sealed });
  expect(after?.sealed).not.toBe(before?.sealed);
  expect(valueOf((await readCredentials(harness, collectionId, ada)).open('key'))).toBe('s3cret');
});

test('a credential stays bound to the origins that it was set with, until an administrator confirms new ones', async () => {
  const harness = createHarness();
  const { useCases } = harness;
  const [collectionId, ada] = [
    await createCollection(harness, { authentication: { type: 'bearer', name: null, value: 't0ken' } }),
    await addProfile(harness, 'ada@example.com'),
  ];
  const subject = { kind: 'profile', id: ada.id } as const;
  await useCases.setSubjectCredential(operatorAuthority, { collectionId, scheme: 'key', subject }, value('k3y'));
  const readOrigins = async () => {
    const { open } = await readCredentials(harness, collectionId, ada);
    return [open('token')?.origins, open('key')?.origins];
  };
  const old = ['https://roads.example'];
  expect(await readOrigins()).toEqual([old, old]);
  const edit = (fields: object) =>
    useCases.updateCollection(operatorAuthority, collectionId, { strict: false, ...fields });
  const document = await readDocument(harness, { servers: [{ url: 'https://{region}.evil.example:8443/' }] });
  await edit({ document, serverVariables: { region: 'EU' } });
  await edit({ authentication: { type: 'bearer', name: 'authorization', value: undefined } });
  await edit({ baseUrl: 'https://evil.example' });
  await edit({ baseUrl: null });
  expect(await readOrigins()).toEqual([old, old]);
  const current = ['https://eu.evil.example:8443'];
  expect(await useCases.readOrigins(operatorAuthority, collectionId)).toMatchObject({
    current,
    credentials: [
      { id: 'authentication', origins: old, isCurrent: false },
      { origins: old, isCurrent: false },
    ],
  });
  for (const confirmed of [[], old, [...old, ...current]])
    await expect(useCases.confirmOrigins(operatorAuthority, collectionId, confirmed)).rejects.toThrow(
      'The address of the API has changed: its origins are https://eu.evil.example:8443',
    );
  expect(await readOrigins()).toEqual([old, old]);
  await useCases.confirmOrigins(operatorAuthority, collectionId, current);
  expect(await readOrigins()).toEqual([current, current]);
  await edit({ document: await readDocument(harness), authentication: { type: 'bearer', name: null, value: 't0ken' } });
  expect(await readOrigins()).toEqual([old, current]);
});

test('a scheme has credentials of at most 1,000 groups and profiles, and replacing one is always possible', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const collectionId = await createCollection(harness);
  const [ada, bob] = [await addProfile(harness, 'ada@example.com'), await addProfile(harness, 'bob@example.com')];
  const set = ({ id }: Profile, scheme = 'key') =>
    useCases.setSubjectCredential(
      operatorAuthority,
      { collectionId, scheme, subject: { kind: 'profile', id } },
      value('k3y'),
    );
  await set(ada);
  const [row] = await ports.credentials.listSubjects(collectionId);
  if (!row) throw new Error('there is no credential');
  for (let count = 1; count < 999; count++) {
    const { id } = await addProfile(harness, `p${count}@example.com`);
    const credential = { ...row, id: ports.random.uuid() as typeof row.id };
    await ports.credentials.updateSubject(collectionId, 'key', { kind: 'profile', id }, () => ({
      credential,
      ...noEffects,
    }));
  }
  await set(bob);
  const eve = await addProfile(harness, 'eve@example.com');
  await expect(set(eve)).rejects.toThrow('Too many credentials: a scheme has at most 1,000 of groups and profiles');
  await set(ada);
  await set(eve, 'token');
});
