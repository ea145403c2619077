import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { errors } from '../errors.ts';
import { empty, listOf, object, text } from '../shapes.ts';
import { smallDocument, targetSecret, type World } from '../world.ts';

const { noAccess } = errors;
/** Admitted callers that may not read the granted collection. */
export const noAccessErrors = {
  'a pending profile': noAccess,
  'a rejected profile': noAccess,
  'a rejected profile with a grant': noAccess,
  'a client without a grant, by token': noAccess,
  'a client without a grant, by key': noAccess,
  'a client without a grant, by key in one string': noAccess,
  'a former member, by token': noAccess,
  'a former member, by key': noAccess,
  'a former member by claim, by token': noAccess,
  'a former member by claim, by key': noAccess,
  'a former member by claim, by an older token': noAccess,
  'a client whose grant has expired, by token': noAccess,
  'a client whose grant has expired, by key': noAccess,
} as const;

const sharedTarget = ({ granted }: World) => ({ params: { collection_id: granted } });
const createTarget = async ({ make }: World) => ({ params: { collection_id: await make.collection() } });

const weatherKey = { type: 'apiKey', name: 'X-Weather-Key', in: 'header', value: targetSecret };
const withScheme = ({ params }: { readonly params: Readonly<Record<string, string>> }) => ({
  params: { ...params, scheme: 'weatherKey' },
});

const badFields = [
  { name: 7 },
  { name: 'x'.repeat(201) },
  { description: 7 },
  { openapi_spec: 'text' },
  { openapi_spec: {} },
  { openapi_spec: { ...smallDocument, openapi: '2.0' } },
  { authentication: { type: 'none', value: 'x' } },
  { base_url: 'api.example.com' },
  { base_url: 'ftp://api.example.com' },
  { base_url: 'https://ada:s3cret@api.example.com' },
  { base_url: 'https://api.example.com/v1?region=eu' },
  { base_url: 'https://api.example.com/v1#top' },
  { base_url: `https://api.example.com/${'x'.repeat(2_000)}` },
  { server_variables: 'eu' },
  { server_variables: { region: 7 } },
  { server_variables: { region: 'e\nu' } },
  { server_variables: { region: 'evil.example/#' } },
  { server_variables: { region: 'a@b' } },
  { server_variables: { region: 'x'.repeat(501) } },
  { server_variables: { '': 'eu' } },
  { server_variables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, ''])) },
];

export const collectionEndpoints: Endpoints = {
  'GET /api/collections/': {
    response: listOf(['id', 'name', 'description', 'created_at', 'updated_at']),
    target: () => ({}),
    collectionField: 'id',
    verify: ({ headers }) => {
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
    badQueries: [
      '?limit=0',
      '?limit=1001',
      '?limit=many',
      '?limit=1&limit=2',
      '?include=everything',
      '?cursor=x',
      `?q=${'x'.repeat(201)}`,
      '?q=%00',
      '?include_total=some',
    ],
  },
  'GET /api/collections/{collection_id}/summary': {
    response: object(
      [
        'id',
        'name',
        'description',
        'base_url',
        'authentication',
        'converted_from',
        'lifecycle',
        'tags',
        'discoverable',
        'settings',
        'created_by',
        'created_at',
        'updated_at',
      ],
      {
        authentication: ['type', 'name', 'in', 'has_value', 'is_set'],
        settings: ['base_url', 'server_variables'],
      },
    ),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, headers, text: responseText }, _caller, { granted }) => {
      expect(body).toMatchObject({ id: granted, base_url: 'https://api.example.com/v1' });
      expect(body.authentication).toEqual({
        type: 'apiKey',
        name: 'X-Weather-Key',
        in: 'header',
        has_value: true,
        is_set: true,
      });
      expect(responseText).not.toContain(targetSecret);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
    },
  },
  'GET /api/collections/{collection_id}': {
    response: object(['id', 'name', 'description', 'openapi_spec', 'created_by', 'created_at']),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, headers }, _caller, { granted }) => {
      expect(body).toMatchObject({ id: granted, openapi_spec: smallDocument });
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
    badQueries: ['?include=everything', '?include=usage,everything', '?include=usage&include=usage'],
  },
  'GET /api/collections/{collection_id}/metadata': {
    response: object(['id', 'name', 'description', 'base_url', 'authentication'], {
      authentication: ['type', 'name', 'value', 'in'],
    }),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, headers }, _caller, { granted }) => {
      expect(body).toMatchObject({ id: granted, base_url: 'https://api.example.com/v1' });
      expect(body.authentication).toEqual({ type: 'apiKey', name: 'X-Weather-Key', value: targetSecret, in: 'header' });
      expect([headers.etag, headers['cache-control']]).toEqual([undefined, 'no-store']);
    },
  },
  'GET /api/collections/{collection_id}/openapi.json': {
    response: object(['openapi', 'info', 'servers', 'components', 'paths']),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body, headers }) => {
      expect(body).toEqual(smallDocument);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
  },
  'GET /api/collections/{collection_id}/openapi.yaml': {
    response: text('application/yaml', /^openapi: "3\.0\.3"$/m),
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ headers }) => expect(headers.etag).toMatch(/^"[^"]+"$/),
  },
  'POST /api/collections/': {
    response: object(['id', 'name', 'description', 'openapi_spec', 'created_by', 'created_at', 'updated_at']),
    target: ({ make }) => ({ json: { name: make.nextName(), openapi_spec: smallDocument } }),
    verify: ({ body }, caller) =>
      expect(body).toMatchObject({ description: '', created_by: caller.id, openapi_spec: smallDocument }),
    badBodies: [
      {},
      { name: 'Without a document' },
      ...badFields.map((fields) => ({ name: 'Weather', openapi_spec: smallDocument, ...fields })),
    ],
    badQueries: ['?strict=perhaps'],
  },
  'PUT /api/collections/{collection_id}': {
    response: object(['id', 'name', 'description', 'updated_at']),
    target: (world) => ({ ...sharedTarget(world), json: { name: 'Another name' } }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { name: 'Another name' } }),
    verify: ({ body }) => expect(body.name).toBe('Another name'),
    badBodies: badFields,
    badQueries: ['?strict=perhaps'],
  },
  'DELETE /api/collections/{collection_id}': {
    target: sharedTarget,
    freshTarget: createTarget,
  },
  'GET /api/collections/{collection_id}/credentials': {
    target: sharedTarget,
    verify: ({ list, text: responseText }) => {
      expect(list).toEqual([
        {
          ...{ id: 'authentication', for: { everyone: true }, scheme: 'weatherKey', kind: 'value' },
          ...{ created_at: null, updated_at: null },
        },
      ]);
      expect(responseText).not.toContain(targetSecret);
    },
  },
  'PUT /api/collections/{collection_id}/credentials/{scheme}': {
    target: (world) => ({ ...withScheme(sharedTarget(world)), json: { value: 'new s3cret' } }),
    freshTarget: async (world) => ({ ...withScheme(await createTarget(world)), json: { value: 'new s3cret' } }),
    verify: ({ body, text: responseText }) => {
      expect(body).toMatchObject({ scheme: 'weatherKey', kind: 'value' });
      expect(responseText).not.toContain('s3cret');
    },
    badBodies: [
      {},
      { value: 7 },
      { value: ' ' },
      { value: 'two\nlines' },
      { value: 'x'.repeat(8_193) },
      { value: 'x', username: 'ada', password: 'y' },
      { username: 'ada' },
      { username: 'ada:lovelace', password: 'y' },
      { client_id: 'ada' },
      { client_secret: 'y' },
      { username: 'ada', client_secret: 'y' },
    ],
  },
  'DELETE /api/collections/{collection_id}/credentials/{scheme}': {
    response: empty,
    target: (world) => withScheme(sharedTarget(world)),
    freshTarget: async ({ make }) =>
      withScheme({ params: { collection_id: await make.collection(make.nextName(), { authentication: weatherKey }) } }),
  },
};
