import { expect } from 'vitest';
import type { Person, World } from '../world.ts';
import type { Endpoints } from '../endpoint.ts';
import { object, listOf, text } from '../shapes.ts';
import { smallDocument, unknownId } from '../world.ts';
import { noAccessErrors } from './collections.ts';

const sharedTarget = ({ granted }: World) => ({ params: { collection_id: granted } });
const revisionTarget = ({ granted }: World) => ({ params: { collection_id: granted, revision: '1' } });
/** Returns the first of two revisions. */
const createTarget = async ({ make }: World) => {
  const id = await make.collection();
  await make.asAdmin('PUT', `/api/collections/${id}`, { json: { openapi_spec: { ...smallDocument, paths: {} } } }, 200);
  return { params: { collection_id: id, revision: '1' } };
};

const fields = ['number', 'digest', 'created_at', 'origin', 'counts', 'breaking'];
const fieldsOf = (entry: object) => ('actor' in entry ? [...fields, 'actor'] : fields);

/** Only administrators see who made a revision. */
const verifyRevision = (entry: Readonly<Record<string, unknown>> | undefined, caller: Person) => {
  expect(entry).toMatchObject({ number: 1, origin: null, counts: null, breaking: [] });
  expect(Object.keys(entry ?? {}).includes('actor')).toBe(caller.role === 'admin');
};

export const revisionEndpoints: Endpoints = {
  'GET /api/collections/{collection_id}/revisions': {
    response: listOf(fieldsOf),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ list }, caller) => verifyRevision(list[0], caller),
    badQueries: ['?limit=0', '?limit=1001', '?cursor=0', '?cursor=x', '?include_total=some', '?unknown=1'],
  },
  'GET /api/collections/{collection_id}/revisions/{revision}': {
    response: object(fieldsOf),
    target: revisionTarget,
    specialErrors: noAccessErrors,
    verify: ({ body }, caller) => verifyRevision(body, caller),
  },
  'GET /api/collections/{collection_id}/revisions/{revision}/openapi.json': {
    response: object(['openapi', 'info', 'servers', 'components', 'paths']),
    target: revisionTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, headers }) => {
      expect(body).toEqual(smallDocument);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
  },
  'GET /api/collections/{collection_id}/diff': {
    response: object(['from', 'to', 'counts', 'changes'], { counts: ['breaking', 'warning', 'info'] }),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body }) =>
      expect(body).toEqual({ from: null, to: 1, counts: { breaking: 0, warning: 0, info: 0 }, changes: [] }),
    badQueries: ['?from=0', '?to=2147483648', '?from=x', '?to=-1', '?unknown=1'],
  },
  'POST /api/collections/{collection_id}/revisions/{revision}/restore': {
    response: object(['id', 'name', 'description', 'updated_at', 'changes'], { changes: ['counts', 'total', 'first'] }),
    target: revisionTarget,
    freshTarget: createTarget,
    verify: ({ body }) => expect(body.changes).toMatchObject({ total: 1, first: [{ rule: 'endpoint-added' }] }),
  },
  'GET /api/changes': {
    target: () => ({ query: '?limit=1000' }),
    collectionField: 'collection_id',
    badQueries: ['?since=yesterday', '?limit=0', '?limit=1001', '?cursor=x', `?cursor=1.${unknownId}.0`, '?unknown=1'],
  },
  'GET /api/collections/{collection_id}/changes.atom': {
    response: text('application/atom+xml', /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed /),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    // The links contain the address of the service.
    dependsOnComposition: true,
    verify: ({ headers }) => expect(headers.etag).toMatch(/^"[^"]+"$/),
  },
};
