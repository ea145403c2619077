import { expect, test } from 'vitest';
import { operatorAuthority, type Collection, type Ports } from '@portico/domain';
import { createHarness } from './harness.ts';

const read = ({ documents }: ReturnType<typeof createHarness>, title: string) =>
  documents.readFile(Buffer.from(`{"openapi": "3.0.3", "info": {"title": "${title}", "version": "1"}, "paths": {}}`));

/**
 * Creates a harness that runs `change` after access to a collection has been admitted and before its document is read.
 */
const raceOnRead = async (
  change: (harness: ReturnType<typeof createHarness>, collection: Collection) => Promise<unknown>,
) => {
  const baseHarness = createHarness();
  let hasRaced = false;
  const collections: Ports['collections'] = {
    ...baseHarness.ports.collections,
    findDocument: async (id) => {
      if (!hasRaced) {
        hasRaced = true;
        await change(baseHarness, collection);
      }
      return baseHarness.ports.collections.findDocument(id);
    },
  };
  const racingHarness = createHarness({}, { ...baseHarness.ports, collections });
  const collection = await baseHarness.useCases.createCollection(
    operatorAuthority,
    'someone' as Collection['createdBy'],
    {
      name: 'one',
      description: '',
      authentication: null,
      document: await read(baseHarness, 'one'),
      strict: false,
    },
  );
  return { racingHarness, collection };
};

test('a collection that changes while it is read is returned with the changed document', async () => {
  const { racingHarness, collection } = await raceOnRead(async (harness, { id }) =>
    harness.useCases.updateCollection(operatorAuthority, id, {
      name: 'two',
      document: await read(harness, 'two'),
      strict: false,
    }),
  );
  const result = await racingHarness.useCases.readDocument(collection);
  expect(result.collection).toMatchObject({ name: 'two', revision: 2 });
  expect(result.document).toEqual((await racingHarness.ports.collections.findDocument(collection.id))?.packed);
});

test('a collection that is deleted while it is read is not found', async () => {
  const { racingHarness, collection } = await raceOnRead((harness, { id }) =>
    harness.useCases.removeCollection(operatorAuthority, id),
  );
  await expect(racingHarness.useCases.readDocument(collection)).rejects.toThrow('Collection not found');
});
