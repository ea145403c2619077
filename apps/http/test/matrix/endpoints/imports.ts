import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { object } from '../shapes.ts';
import { smallDocument } from '../world.ts';

const badBodies = [
  {},
  { name: 'Without a document' },
  { openapi_spec: smallDocument },
  { name: 'x'.repeat(201), openapi_spec: smallDocument },
  { name: 'Weather', openapi_spec: 'text' },
  { name: 'Weather', openapi_spec: { ...smallDocument, openapi: '2.0' } },
];
const badQueries = ['?strict=perhaps', `?import_key=${'x'.repeat(1_001)}`, '?import_key=a&import_key=b'];

export const importEndpoints: Endpoints = {
  'PUT /api/imports/': {
    response: object(['outcome', 'id', 'name', 'description', 'description_derived', 'converted_from', 'updated_at']),
    target: ({ make }) => ({ json: { name: make.nextName(), openapi_spec: smallDocument } }),
    verify: ({ body }) =>
      expect(body).toMatchObject({
        outcome: 'created',
        description: 'Forecast. Read the weather forecast.',
        description_derived: true,
      }),
    badBodies,
    badQueries,
  },
  'POST /api/imports/plan': {
    response: object(['outcome', 'id', 'name', 'description_derived', 'converted_from', 'changes']),
    target: () => ({ json: { name: 'Planned', openapi_spec: smallDocument } }),
    verify: ({ body }) => expect(body).toMatchObject({ outcome: 'created', id: null, name: 'Planned' }),
    badBodies,
    badQueries,
  },
};
