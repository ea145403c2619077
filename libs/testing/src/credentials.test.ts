import {
  operatorAuthority,
  type CollectionId,
  type CredentialId,
  type ProfileId,
  type StoredCredential,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createHarness, type Harness } from './harness.ts';

const readDocument = ({ documents }: Harness, schemes: object) => {
  const document = {
    openapi: '3.0.3',
    info: { title: 'Roads', version: '1' },
    paths: {},
    components: { securitySchemes: schemes },
  };
  return documents.readFile(Buffer.from(JSON.stringify(document)));
};

const oauth = { type: 'oauth2', flows: {} };
const client = { kind: 'client', clientId: 'ada', clientSecret: 's3cret' } as const;

const createCollection = async (harness: Harness): Promise<CollectionId> => {
  const document = await readDocument(harness, { a: oauth, b: oauth });
  const fields = { name: 'Roads', description: '', authentication: null, document, strict: false };
  return (await harness.useCases.createCollection(operatorAuthority, 'someone' as ProfileId, fields)).id;
};

const noEffects = { entries: [], jobs: [], deadline: null };

const setStored = (
  { ports }: Harness,
  id: CollectionId,
  change: (credentials: readonly StoredCredential[]) => readonly StoredCredential[],
) =>
  ports.credentials.update(id, (collection, credentials) => ({
    collection,
    credentials: change(credentials),
    ...noEffects,
  }));

test('a credential is sealed for its collection and its scheme: a copied row cannot be opened elsewhere', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const [id, otherId] = [await createCollection(harness), await createCollection(harness)];
  await useCases.setCredential(operatorAuthority, id, 'b', client);
  expect(JSON.stringify(await ports.credentials.list(id))).not.toContain('s3cret');
  const reseal = () =>
    createHarness({}, { ...ports, cipher: { ...ports.cipher, isCurrent: () => false } }).useCases.resealSecrets(
      operatorAuthority,
    );
  expect(await reseal()).toMatchObject({ credentials: 1, unreadable: [] });
  const [credential] = await ports.credentials.list(id);
  if (!credential) throw new Error('there is no credential');
  const copy = () => ({ ...credential, id: ports.random.uuid() as CredentialId });
  await setStored(harness, id, () => [credential, { ...copy(), scheme: 'a' }]);
  await setStored(harness, otherId, () => [copy()]);
  expect(await reseal()).toMatchObject({
    credentials: 1,
    unreadable: [
      { kind: 'credential', id, because: expect.stringMatching(/^a: /) as string },
      { kind: 'credential', id: otherId, because: expect.stringMatching(/^b: /) as string },
    ],
  });
});

test('resealing changes neither the revision of a collection nor the dates of its credentials', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const id = await createCollection(harness);
  await useCases.setCredential(operatorAuthority, id, 'b', client);
  const [collectionBefore, listBefore] = [
    await ports.collections.find(id),
    await useCases.listCredentials(operatorAuthority, id),
  ];
  const cipher = { ...ports.cipher, isCurrent: () => false };
  await createHarness({}, { ...ports, cipher }).useCases.resealSecrets(operatorAuthority);
  expect(await ports.collections.find(id)).toEqual(collectionBefore);
  expect(await useCases.listCredentials(operatorAuthority, id)).toEqual(listBefore);
});

test('if the document is replaced while its schemes are read, the new document decides', async () => {
  const harness = createHarness();
  const id = await createCollection(harness);
  let hasRaced = false;
  const documents: Harness['documents'] = {
    ...harness.documents,
    readSecuritySchemes: async (document, deadline) => {
      const schemes = await harness.documents.readSecuritySchemes(document, deadline);
      if (!hasRaced) {
        hasRaced = true;
        const newDocument = await readDocument(harness, { a: oauth, c: oauth });
        await harness.useCases.updateCollection(operatorAuthority, id, { document: newDocument, strict: false });
      }
      return schemes;
    },
  };
  const { useCases } = createHarness({}, { ...harness.ports, documents });
  await expect(useCases.setCredential(operatorAuthority, id, 'b', client)).rejects.toThrow(
    'Security scheme not found: the document has a, c',
  );
  expect(await useCases.setCredential(operatorAuthority, id, 'c', client)).toMatchObject({ scheme: 'c' });
});

test('storing and removing a credential each increase the revision of the collection, even if the clock is stopped', async () => {
  const harness = createHarness();
  const { useCases, ports } = harness;
  const id = await createCollection(harness);
  const readVersion = async () => {
    const collection = await ports.collections.find(id);
    return [collection?.revision, collection?.credentialSchemes, collection?.updatedAt] as const;
  };
  const [, , createdAt = 0] = await readVersion();
  await useCases.setCredential(operatorAuthority, id, 'b', client);
  expect(await readVersion()).toEqual([2, ['b'], createdAt + 1]);
  await useCases.setCredential(operatorAuthority, id, 'a', { kind: 'value', value: 't0ken' });
  expect(await readVersion()).toEqual([3, ['b'], createdAt + 2]);
  await useCases.removeCredential(operatorAuthority, id, 'b');
  expect(await readVersion()).toEqual([4, [], createdAt + 3]);
});
