import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { unknownId, type World } from '../world.ts';
import { noAccessErrors } from './collections.ts';

/** The granted collection, which the members of the standing group own. */
const ownedTarget = ({ granted }: World) => ({ params: { collection_id: granted } });

/** A new collection with the same owners. */
const createOwned = async ({ make, group }: World) => {
  const collection_id = await make.collection();
  await make.asAdmin('PUT', `/api/collections/${collection_id}/owner`, { json: { group } }, 200);
  return { params: { collection_id } };
};

const lifecycleBody = { state: 'deprecated', since: '2026-01-02', sunset: '2027-01-02', text: 'Use the other.' };
const policyBody = {
  levels: { 'request-parameter-removed': 'ignore' },
  expected: [{ rule: 'api-removed', reason: 'No one uses it', until: '2001-01-01' }],
};
const expectedChange = { rule: 'a', reason: 'b', until: '2001-01-01' };

export const lifecycleEndpoints: Endpoints = {
  'PUT /api/collections/{collection_id}/lifecycle': {
    target: (world) => ({ ...ownedTarget(world), json: { state: 'active' } }),
    freshTarget: async (world) => ({ ...(await createOwned(world)), json: lifecycleBody }),
    verify: ({ body }) =>
      expect(body).toEqual({
        ...{ state: 'deprecated', since: '2026-01-02T00:00:00.000Z', sunset: '2027-01-03T00:00:00.000Z' },
        ...{ successor: null, text: 'Use the other.' },
      }),
    badBodies: [
      {},
      { state: 'old' },
      { state: 'deprecated', since: 'soon' },
      { state: 'deprecated', since: '2027-01-01', sunset: 7 },
      { state: 'deprecated', text: 'x'.repeat(1_001) },
      { state: 'deprecated', successor: 'x'.repeat(501) },
      { state: 'active', text: 'No.' },
      { state: 'active', successor: unknownId },
    ],
  },
  'GET /api/collections/{collection_id}/owner': {
    target: ownedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body }, _caller, { group }) => expect(body).toMatchObject({ group: { id: group } }),
  },
  'PUT /api/collections/{collection_id}/owner': {
    target: (world) => ({ ...ownedTarget(world), json: { group: world.group } }),
    freshTarget: async ({ make, group }) => ({
      params: { collection_id: await make.collection() },
      json: { group },
    }),
    verify: ({ body }, _caller, { group }) => expect(body).toMatchObject({ group: { id: group } }),
    badBodies: [{}, { group: 7 }, { group: '' }, { group: ['a'] }, { group: 'x'.repeat(501) }],
  },
  'PUT /api/collections/{collection_id}/tags': {
    target: (world) => ({ ...ownedTarget(world), json: { tags: [] } }),
    freshTarget: async (world) => ({ ...(await createOwned(world)), json: { tags: ['Öffentlich', 'b'] } }),
    verify: ({ body }) => expect(body).toEqual({ tags: ['Öffentlich', 'b'] }),
    badBodies: [
      {},
      { tags: 'a' },
      { tags: [7] },
      { tags: [''] },
      { tags: ['a\nb'] },
      { tags: ['x'.repeat(51)] },
      { tags: ['a', 'A'] },
      { tags: Array.from({ length: 21 }, (_, index) => `${index}`) },
    ],
  },
  'GET /api/collections/{collection_id}/change-policy': {
    target: ownedTarget,
    verify: ({ body }) => expect(body).toEqual({ levels: {}, expected: [] }),
  },
  'PUT /api/collections/{collection_id}/change-policy': {
    target: (world) => ({ ...ownedTarget(world), json: { levels: {}, expected: [] } }),
    freshTarget: async (world) => ({ ...(await createOwned(world)), json: policyBody }),
    verify: ({ body }) =>
      expect(body).toEqual({
        levels: policyBody.levels,
        expected: [
          { ...policyBody.expected[0], operation_key: null, fingerprint: null, until: '2001-01-02T00:00:00.000Z' },
        ],
      }),
    badBodies: [
      {},
      { levels: {} },
      { expected: [] },
      { levels: { a: 'fatal' }, expected: [] },
      { levels: { 'Not an id': 'info' }, expected: [] },
      { levels: { ['a'.repeat(101)]: 'info' }, expected: [] },
      { levels: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`r${i}`, 'info'])), expected: [] },
      { levels: {}, expected: Array.from({ length: 201 }, () => expectedChange) },
      { levels: {}, expected: [{ ...expectedChange, reason: 'x'.repeat(501) }] },
      { levels: {}, expected: [{ ...expectedChange, reason: '' }] },
      { levels: {}, expected: [{ ...expectedChange, fingerprint: 'x' }] },
      { levels: {}, expected: [{ ...expectedChange, operation_key: 'x' }] },
      { levels: {}, expected: [{ ...expectedChange, until: 'never' }] },
    ],
  },
};
