import { describe, expect, it } from 'vitest';
import { constraintsOf, isTruncated, partsOf, describeType } from './schema-text.ts';

describe('the text of a schema', () => {
  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'integer', nullable: true }, 'integer or null'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'list of list of number'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Pet%20Owner' } }, 'list of Pet Owner'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ oneOf: [{ type: 'object' }, { type: 'string' }, { type: 'boolean' }] }, 'exactly one of 3 variants'],
    [{ allOf: [{ description: 'Only words' }, { type: 'object' }] }, 'object'],
    [{ const: 'card' }, 'always "card"'],
    [{ enum: [1, 2] }, 'one of 2 values'],
    [{ properties: {} }, 'object'],
    [{}, 'anything'],
    [true, 'anything'],
    [false, 'nothing'],
    [undefined, 'anything'],
  ])('%j is described as "%s"', (schema, words) => {
    expect(describeType(schema)).toBe(words);
  });

  it('describes bounds, defaults and examples', () => {
    expect(constraintsOf({ minimum: 0, default: 'a', examples: [1, 2], additionalProperties: false })).toEqual([
      'default "a"',
      'at least 0',
      'for example 1, 2',
      'no additional properties',
    ]);
  });

  it('a reference with an invalid encoding is shown unchanged', () => {
    expect(describeType({ $ref: '#/components/schemas/100%' })).toBe('100%');
  });
});

describe('the parts of a schema', () => {
  const names = (schema: unknown) => partsOf(schema, '/s').map(({ name, pointer }) => [name, pointer]);

  it('are the members, with required ones marked', () => {
    const parts = partsOf({ properties: { 'a/b': {}, toString: {} }, required: ['toString'] }, '/s');
    expect(parts.map(({ pointer, required }) => [pointer, required])).toEqual([
      ['/s/properties/a~1b', false],
      ['/s/properties/toString', true],
    ]);
  });

  it('of an array of objects are the members of the items', () => {
    expect(names({ type: 'array', items: { properties: { id: {} } } })).toEqual([['id', '/s/items/properties/id']]);
  });

  it('with one variant and null are the parts of the variant', () => {
    const schema = { anyOf: [{ type: 'null' }, { properties: { id: {} } }] };
    expect(names(schema)).toEqual([['id', '/s/anyOf/1/properties/id']]);
  });

  it('with several variants are the variants', () => {
    const schema = { oneOf: [{ type: 'object' }, { type: 'string' }] };
    expect(names(schema)).toEqual([
      ['variant 1 of 2', '/s/oneOf/0'],
      ['variant 2 of 2', '/s/oneOf/1'],
    ]);
  });

  it('with allOf are the parts of all its schemas', () => {
    const schema = { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
    expect(names(schema).map(([name]) => name)).toEqual(['a', 'b']);
  });
});

describe('an omission', () => {
  const truncated = ['/request_body/schema/properties', '/responses/200/schema/properties/owner'];

  it('is detected at the pointer that the slice lists', () => {
    expect(isTruncated({ $ref: '#/x' }, '/responses/200/schema/properties/owner', truncated)).toBe(true);
    expect(isTruncated({ type: 'string' }, '/responses/200/schema/properties/name', truncated)).toBe(false);
  });

  it('is detected for objects without members below a listed pointer', () => {
    expect(isTruncated({ type: 'object' }, '/request_body/schema/properties/card', truncated)).toBe(true);
    expect(isTruncated({ type: 'string' }, '/request_body/schema/properties/name', truncated)).toBe(false);
    expect(isTruncated({ properties: { a: {} } }, '/request_body/schema', truncated)).toBe(false);
  });
});
