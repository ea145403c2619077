import { expect, test } from 'vitest';
import { operatorAuthority, type Collection, type Ports } from '@portico/domain';
import { createHarness } from './harness.ts';

const read = ({ documents }: ReturnType<typeof createHarness>, title: string) =>
  documents.readFile(
    Buffer.from(`{"openapi": "3.0.3", "info": {"title": "${title}", "version": "1"}, "paths": {}}`),
    'json',
  );

/**
 * Creates a harness that runs `change` after access to a collection has been admitted and before its document is read.
 */
const raceOnRead = async (
  change: (harness: ReturnType<typeof createHarness>, collection: Collection) => Promise<unknown>,
) => {
  const plain = createHarness();
  let hasRaced = false;
  const collections: Ports['collections'] = {
    ...plain.ports.collections,
    document: async (id) => {
      if (!hasRaced) {
        hasRaced = true;
        await change(plain, collection);
      }
      return plain.ports.collections.document(id);
    },
  };
  const racingHarness = createHarness({}, { ...plain.ports, collections });
  const collection = await plain.useCases.createCollection(operatorAuthority, 'someone' as Collection['createdBy'], {
    name: 'one',
    description: '',
    authentication: null,
    document: await read(plain, 'one'),
    strict: false,
  });
  return { racy: racingHarness, collection };
};

test('a collection that changes while it is read is returned with the changed document', async () => {
  const { racy, collection } = await raceOnRead(async (harness, { id }) =>
    harness.useCases.updateCollection(operatorAuthority, id, {
      name: 'two',
      document: await read(harness, 'two'),
      strict: false,
    }),
  );
  const result = await racy.useCases.readDocument(collection);
  expect(result.collection).toMatchObject({ name: 'two', revision: 2 });
  expect(result.document).toEqual((await racy.ports.collections.document(collection.id))?.packed);
});

test('a collection that is deleted while it is read is not found', async () => {
  const { racy, collection } = await raceOnRead((harness, { id }) =>
    harness.useCases.removeCollection(operatorAuthority, id),
  );
  await expect(racy.useCases.readDocument(collection)).rejects.toThrow('Collection not found');
});
