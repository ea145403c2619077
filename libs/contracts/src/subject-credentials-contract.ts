import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { CollectionId, CredentialSubject, Group, Profile, StoredCredential, SubjectState } from '@portico/domain';
import { assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import { addToGroup, addUnrelatedRecords, claimGroups, removeFromGroup } from './memberships.ts';
import { aCollection, aCredential, aDocumentContent, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const changes = {
  "a subject's credential is returned exactly as it was stored, with the name of the subject": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const fields = { kind: 'client', sealed: 'YQ', createdAt: start + 3, updatedAt: start + 4, origins: null } as const;
    const [first, second] = [aCredential('größe 愛', fields), aCredential('größe 愛')];
    await put(stores, collection.id, toGroup(group), first);
    await put(stores, collection.id, toProfile(client), second);
    deepStrictEqual(await stores.credentials.listSubjects(collection.id), [
      { ...first, subject: { ...toGroup(group), name: group.name } },
      { ...second, subject: { ...toProfile(client), email: client.email } },
    ]);
  },

  'they are sorted by scheme, groups first, and then by name or email, in code point order': async (stores) => {
    const [first, second] = [
      await addUnrelatedRecords(stores, { group: { name: '\ufb01' }, client: { email: 'a@\ufb01.example' } }),
      await addUnrelatedRecords(stores, { group: { name: '😀' }, client: { email: 'a@😀.example' } }),
    ];
    const { id } = first.collection;
    const subjects = [toProfile(first.client), toGroup(second.group), toProfile(second.client), toGroup(first.group)];
    for (const scheme of ['b', 'B'])
      for (const subject of subjects) await put(stores, id, subject, aCredential(scheme));
    const names = ['\ufb01', '😀', 'a@\ufb01.example', 'a@😀.example'];
    deepStrictEqual(
      (await stores.credentials.listSubjects(id)).map(({ scheme, subject }) => [scheme, nameOf(subject)]),
      ['B', 'b'].flatMap((scheme) => names.map((name) => [scheme, name])),
    );
  },

  "a missing collection and one without subjects' credentials have none": async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const { collection: other } = await addUnrelatedRecords(stores);
    await put(stores, collection.id, toProfile(client), aCredential('a'));
    await putForEveryone(stores, other.id, aCredential('a'));
    deepStrictEqual(await stores.credentials.listSubjects(other.id), []);
    deepStrictEqual(await stores.credentials.listSubjects(nextId()), []);
  },

  "a change of a subject's credential bases its decision on the current state": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    const credential = aCredential('a');
    await put(stores, collection.id, toProfile(client), credential);
    await put(stores, collection.id, toProfile(client), aCredential('b'));
    await put(stores, collection.id, toProfile(otherClient), aCredential('a'));
    await put(stores, collection.id, toGroup(group), aCredential('a'));
    await putForEveryone(stores, collection.id, aCredential('a'));
    const expected = {
      collection: await stores.collections.find(collection.id),
      subject: { ...toProfile(client), email: client.email },
      credential,
      otherSubjects: 2,
    };
    deepStrictEqual(await captureState(stores, collection.id, 'a', toProfile(client)), expected);
    const { collection: other } = await addUnrelatedRecords(stores);
    const state = await captureState(stores, other.id, 'a', toGroup(group));
    deepStrictEqual(
      [state?.subject, state?.credential, state?.otherSubjects],
      [{ ...toGroup(group), name: group.name }, null, 0],
    );
  },

  'a new credential replaces only the one of the same collection, scheme and subject; null removes only that one':
    async (stores) => {
      const { client, group, collection } = await addUnrelatedRecords(stores);
      const { client: otherClient, collection: otherCollection } = await addUnrelatedRecords(stores);
      const everyone = aCredential('a');
      await putForEveryone(stores, collection.id, everyone);
      const others = [
        [collection.id, toGroup(group), aCredential('a')],
        [collection.id, toProfile(client), aCredential('b')],
        [collection.id, toProfile(otherClient), aCredential('a')],
        [otherCollection.id, toProfile(client), aCredential('a')],
      ] as const;
      const [first, second] = [aCredential('a'), aCredential('a')];
      await put(stores, collection.id, toProfile(client), first);
      for (const [id, subject, credential] of others) await put(stores, id, subject, credential);
      await put(stores, collection.id, toProfile(client), second);
      const readIds = async () =>
        [
          ...(await stores.credentials.listSubjects(collection.id)),
          ...(await stores.credentials.listSubjects(otherCollection.id)),
        ]
          .map(({ id }) => id)
          .sort();
      const otherIds = others.map(([, , { id }]) => id);
      deepStrictEqual(await readIds(), [...otherIds, second.id].sort());
      await stores.credentials.updateSubject(collection.id, 'a', toProfile(client), () => ({
        credential: null,
        ...noEffects,
      }));
      deepStrictEqual(await readIds(), [...otherIds].sort());
      deepStrictEqual(await stores.credentials.list(collection.id), [everyone]);
    },

  "a change of a subject's credential changes nothing else in the collection": async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    await put(stores, collection.id, toProfile(client), aCredential('a'));
    deepStrictEqual(await stores.collections.find(collection.id), collection);
  },

  "replacing all credentials for everyone keeps the subjects' ones": async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const credential = aCredential('a');
    await put(stores, collection.id, toProfile(client), credential);
    await putForEveryone(stores, collection.id, aCredential('b'));
    deepStrictEqual(
      (await stores.credentials.listSubjects(collection.id)).map(({ id }) => id),
      [credential.id],
    );
    deepStrictEqual((await stores.collections.find(collection.id))?.credentialSchemes, ['b']);
  },

  "a change of a subject's credential writes its effects; if its decision returns null or throws, nothing is written":
    async (stores) => {
      const { client, collection } = await addUnrelatedRecords(stores);
      const [effects, subject] = [someEffects(), toProfile(client)];
      const change = (decide: () => never | null) =>
        stores.credentials.updateSubject(collection.id, 'a', subject, decide);
      await change(() => null);
      await assertRejects(change(failDecision), 'already_approved');
      deepStrictEqual(await stores.credentials.listSubjects(collection.id), []);
      await stores.credentials.updateSubject(collection.id, 'a', subject, () => ({
        credential: aCredential('a'),
        ...effects,
      }));
      await assertWritten(stores, effects);
    },

  'a change for a missing collection, group or profile throws before the decision is called': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const change = (id: CollectionId, subject: CredentialSubject) =>
      stores.credentials.updateSubject(id, 'a', subject, failDecision);
    await assertRejects(change(nextId(), toProfile(client)), 'collection_not_found');
    await assertRejects(change(collection.id, { kind: 'group', id: nextId() }), 'group_not_found');
    await assertRejects(change(collection.id, { kind: 'profile', id: nextId() }), 'user_not_found');
  },

  'concurrent changes of different subjects each see the previous change': async (stores) => {
    const { collection } = await addUnrelatedRecords(stores);
    const counts: number[] = [];
    const clients: Profile[] = [];
    for (let index = 0; index < 5; index++) clients.push((await addUnrelatedRecords(stores)).client);
    await Promise.all(
      clients.map((client) =>
        stores.credentials.updateSubject(collection.id, 'a', toProfile(client), ({ otherSubjects }) => {
          counts.push(otherSubjects);
          return { credential: aCredential('a'), ...noEffects };
        }),
      ),
    );
    deepStrictEqual([...new Set(counts)].sort(), [0, 1, 2, 3, 4]);
    strictEqual((await stores.credentials.listSubjects(collection.id)).length, 5);
  },

  'a credential is removed with its group': async (stores) => {
    const { group, collection, names } = await addSubjectCredentials(stores);
    await stores.groups.remove(group.id, () => noEffects);
    deepStrictEqual(
      await readNames(stores, collection.id),
      names.filter((name) => name !== group.name),
    );
  },

  'a credential is removed with its profile': async (stores) => {
    const { client, collection, names } = await addSubjectCredentials(stores);
    await stores.profiles.remove(client.id, () => noEffects);
    deepStrictEqual(
      await readNames(stores, collection.id),
      names.filter((name) => name !== client.email),
    );
  },

  'a credential is removed with its collection': async (stores) => {
    const { collection } = await addSubjectCredentials(stores);
    await stores.collections.remove(collection.id, () => noEffects);
    await stores.collections.add(collection, aDocumentContent(), noEffects);
    deepStrictEqual(await readNames(stores, collection.id), []);
  },
} satisfies Contract<Stores>;

const uses = {
  "a profile may use the credentials for everyone, for its groups and its own, and no other's": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { group: claimedGroup } = await addUnrelatedRecords(stores);
    const { client: otherClient, group: otherGroup, collection: otherCollection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [claimedGroup.name, group.name]);
    await addToGroup(stores, otherGroup, [otherClient]);
    const everyone = aCredential('a');
    await putForEveryone(stores, collection.id, everyone);
    await putForEveryone(stores, otherCollection.id, aCredential('a'));
    const [ofGroup, ofClaimedGroup, own] = [aCredential('a'), aCredential('b'), aCredential('a')];
    await put(stores, collection.id, toGroup(group), ofGroup);
    await put(stores, collection.id, toGroup(claimedGroup), ofClaimedGroup);
    await put(stores, collection.id, toProfile(client), own);
    await put(stores, collection.id, toGroup(otherGroup), aCredential('a'));
    await put(stores, collection.id, toProfile(otherClient), aCredential('a'));
    await put(stores, otherCollection.id, toProfile(client), aCredential('a'));
    deepStrictEqual(sortById(await stores.credentials.listUsable(collection.id, client.id)), [
      ...sortById([
        { ...everyone, subject: null },
        { ...ofGroup, subject: { ...toGroup(group), name: group.name } },
        { ...ofClaimedGroup, subject: { ...toGroup(claimedGroup), name: claimedGroup.name } },
        { ...own, subject: { ...toProfile(client), email: client.email } },
      ]),
    ]);
    deepStrictEqual(await stores.credentials.listUsable(collection.id, null), [{ ...everyone, subject: null }]);
  },

  "a membership that ends takes the group's credential with it at once": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { group: claimedGroup } = await addUnrelatedRecords(stores);
    const readIds = async () =>
      (await stores.credentials.listUsable(collection.id, client.id)).map(({ subject }) => subject?.id);
    await put(stores, collection.id, toGroup(group), aCredential('a'));
    await put(stores, collection.id, toGroup(claimedGroup), aCredential('a'));
    deepStrictEqual(await readIds(), []);
    await addToGroup(stores, group, [client]);
    deepStrictEqual(await readIds(), [group.id]);
    await removeFromGroup(stores, group, [client]);
    await claimGroups(stores, client, [claimedGroup.name], start);
    deepStrictEqual(await readIds(), [claimedGroup.id]);
    await claimGroups(stores, client, [], start + 1);
    deepStrictEqual(await readIds(), []);
  },
} satisfies Contract<Stores>;

const origins = ['https://new.example.com'];

const bindings = {
  'all credentials of a collection are bound, and no dates or other collections change': async (stores) => {
    const collection = aCollection({
      storedAuthentication: { type: 'bearer', name: 'X', in: null, sealedValue: 'c2VhbGVk', origins: null },
    });
    await stores.collections.add(collection, aDocumentContent(), noEffects);
    const { client, collection: other } = await addUnrelatedRecords(stores);
    const [everyone, own, ofOther] = [aCredential('a'), aCredential('a'), aCredential('a')];
    await putForEveryone(stores, collection.id, everyone);
    await put(stores, collection.id, toProfile(client), own);
    await putForEveryone(stores, other.id, ofOther);
    const before = await stores.collections.find(collection.id);
    await stores.credentials.bind(collection.id, () => ({ origins, ...noEffects }));
    deepStrictEqual(await stores.credentials.list(collection.id), [{ ...everyone, origins }]);
    deepStrictEqual(await stores.credentials.listSubjects(collection.id), [
      { ...own, origins, subject: { ...toProfile(client), email: client.email } },
    ]);
    deepStrictEqual(await stores.collections.find(collection.id), {
      ...before,
      storedAuthentication: { ...collection.storedAuthentication, origins },
    });
    deepStrictEqual(await stores.credentials.list(other.id), [ofOther]);
  },

  'an `authentication` without a credential is not bound': async (stores) => {
    const storedAuthentication = { type: 'bearer', name: 'X', in: null, sealedValue: null, origins: null } as const;
    const collection = aCollection({ storedAuthentication });
    await stores.collections.add(collection, aDocumentContent(), noEffects);
    await stores.credentials.bind(collection.id, () => ({ origins, ...noEffects }));
    deepStrictEqual(await stores.collections.find(collection.id), collection);
  },

  'a binding bases its decision on the current collection, and writes its effects; null or an error writes nothing':
    async (stores) => {
      const { collection } = await addUnrelatedRecords(stores);
      const credential = aCredential('a');
      await putForEveryone(stores, collection.id, credential);
      let capturedCollection: unknown;
      await stores.credentials.bind(collection.id, (current) => {
        capturedCollection = current;
        return null;
      });
      deepStrictEqual(capturedCollection, await stores.collections.find(collection.id));
      await assertRejects(stores.credentials.bind(collection.id, failDecision), 'already_approved');
      await assertRejects(stores.credentials.bind(nextId(), failDecision), 'collection_not_found');
      deepStrictEqual(await stores.credentials.list(collection.id), [credential]);
      const effects = someEffects();
      await stores.credentials.bind(collection.id, () => ({ origins, ...effects }));
      await assertWritten(stores, effects);
    },
} satisfies Contract<Stores>;

const resealing = {
  'a resealed text replaces the stored one, and nothing else changes': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const [everyone, own] = [aCredential('a'), aCredential('a')];
    await putForEveryone(stores, collection.id, everyone, aCredential('b'));
    await put(stores, collection.id, toProfile(client), own);
    const before = await stores.collections.find(collection.id);
    const effects = someEffects();
    strictEqual(await stores.credentials.reseal(everyone.id, everyone.sealed, 'bmV3', effects), true);
    const readTexts = async () => [
      ...(await stores.credentials.list(collection.id)).map(({ sealed }) => sealed),
      ...(await stores.credentials.listSubjects(collection.id)).map(({ sealed }) => sealed),
    ];
    deepStrictEqual(await readTexts(), ['bmV3', 'c2VhbGVk', 'c2VhbGVk']);
    strictEqual(await stores.credentials.reseal(own.id, own.sealed, 'bmV4', noEffects), true);
    deepStrictEqual(await readTexts(), ['bmV3', 'c2VhbGVk', 'bmV4']);
    deepStrictEqual(await stores.collections.find(collection.id), before);
    await assertWritten(stores, effects);
  },

  'a text that changed in the meantime is not resealed, and no effects are written': async (stores) => {
    const { collection } = await addUnrelatedRecords(stores);
    const credential = aCredential('a');
    await putForEveryone(stores, collection.id, credential);
    strictEqual(await stores.credentials.reseal(credential.id, 'b3RoZXI', 'bmV3', someEffects()), false);
    strictEqual(await stores.credentials.reseal(nextId(), credential.sealed, 'bmV3', someEffects()), false);
    deepStrictEqual(await stores.credentials.list(collection.id), [credential]);
    await assertWritten(stores);
  },
} satisfies Contract<Stores>;

/** The contract of `CredentialStore` for the credentials of groups and profiles, for their origins, and for resealing. */
export const subjectCredentialsContract = {
  ...changes,
  ...uses,
  ...bindings,
  ...resealing,
} satisfies Contract<Stores>;

const toGroup = ({ id }: Group) => ({ kind: 'group', id }) as const;
const toProfile = ({ id }: Profile) => ({ kind: 'profile', id }) as const;

const nameOf = (subject: SubjectState['subject']): string => (subject.kind === 'group' ? subject.name : subject.email);

const sortById = <Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

const put = (
  { credentials }: Stores,
  id: CollectionId,
  subject: CredentialSubject,
  credential: StoredCredential,
): Promise<void> => credentials.updateSubject(id, credential.scheme, subject, () => ({ credential, ...noEffects }));

const putForEveryone = ({ credentials }: Stores, id: CollectionId, ...content: readonly StoredCredential[]) =>
  credentials.update(id, (collection) => ({ collection, credentials: content, ...noEffects }));

const readNames = async ({ credentials }: Stores, id: CollectionId): Promise<readonly string[]> =>
  (await credentials.listSubjects(id)).map(({ subject }) => nameOf(subject)).sort();

/** Stores the credentials of two groups and two profiles. Returns one of each, and the names of all. */
const addSubjectCredentials = async (stores: Stores) => {
  const { client, group, collection } = await addUnrelatedRecords(stores);
  const { client: otherClient, group: otherGroup } = await addUnrelatedRecords(stores);
  for (const subject of [toProfile(client), toGroup(group), toProfile(otherClient), toGroup(otherGroup)])
    await put(stores, collection.id, subject, aCredential('a'));
  const names = [client.email, group.name, otherClient.email, otherGroup.name].sort();
  return { client, group, collection, names };
};

const captureState = async (
  { credentials }: Stores,
  id: CollectionId,
  scheme: string,
  subject: CredentialSubject,
): Promise<SubjectState | undefined> => {
  let capturedState: SubjectState | undefined;
  await credentials.updateSubject(id, scheme, subject, (state) => {
    capturedState = state;
    return null;
  });
  return capturedState;
};
