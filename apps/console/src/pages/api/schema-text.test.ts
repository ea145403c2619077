import { describe, expect, it } from 'vitest';
import { factsOf, isCut, partsOf, typeText } from './schema-text.ts';

describe('the words of a schema', () => {
  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'integer', nullable: true }, 'integer or null'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'list of list of number'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Pet%20Owner' } }, 'list of Pet Owner'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ oneOf: [{ type: 'object' }, { type: 'string' }, { type: 'boolean' }] }, 'exactly one of 3 forms'],
    [{ allOf: [{ description: 'Only words' }, { type: 'object' }] }, 'object'],
    [{ const: 'card' }, 'always "card"'],
    [{ enum: [1, 2] }, 'one of 2 values'],
    [{ properties: {} }, 'object'],
    [{}, 'anything'],
    [true, 'anything'],
    [false, 'nothing'],
    [undefined, 'anything'],
  ])('%j reads %s', (schema, words) => {
    expect(typeText(schema)).toBe(words);
  });

  it('tells bounds, defaults and examples', () => {
    expect(factsOf({ minimum: 0, default: 'a', examples: [1, 2], additionalProperties: false })).toEqual([
      'default "a"',
      'at least 0',
      'for example 1, 2',
      'no other names',
    ]);
  });

  it('a reference whose name is no valid encoding is read as it is', () => {
    expect(typeText({ $ref: '#/components/schemas/100%' })).toBe('100%');
  });
});

describe('the parts of a schema', () => {
  const names = (schema: unknown) => partsOf(schema, '/s').map(({ name, pointer }) => [name, pointer]);

  it('are the members, the required ones told', () => {
    const parts = partsOf({ properties: { 'a/b': {}, toString: {} }, required: ['toString'] }, '/s');
    expect(parts.map(({ pointer, required }) => [pointer, required])).toEqual([
      ['/s/properties/a~1b', false],
      ['/s/properties/toString', true],
    ]);
  });

  it('of a list of objects are the members of its items', () => {
    expect(names({ type: 'array', items: { properties: { id: {} } } })).toEqual([['id', '/s/items/properties/id']]);
  });

  it('of one form beside null are those of the form', () => {
    const schema = { anyOf: [{ type: 'null' }, { properties: { id: {} } }] };
    expect(names(schema)).toEqual([['id', '/s/anyOf/1/properties/id']]);
  });

  it('of several forms are the forms', () => {
    const schema = { oneOf: [{ type: 'object' }, { type: 'string' }] };
    expect(names(schema)).toEqual([
      ['form 1 of 2', '/s/oneOf/0'],
      ['form 2 of 2', '/s/oneOf/1'],
    ]);
  });

  it('of allOf are all of theirs', () => {
    const schema = { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
    expect(names(schema).map(([name]) => name)).toEqual(['a', 'b']);
  });
});

describe('what was left out', () => {
  const truncated = ['/request_body/schema/properties', '/responses/200/schema/properties/owner'];

  it('is told where the slice names the place', () => {
    expect(isCut({ $ref: '#/x' }, '/responses/200/schema/properties/owner', truncated)).toBe(true);
    expect(isCut({ type: 'string' }, '/responses/200/schema/properties/name', truncated)).toBe(false);
  });

  it('is told of objects without members below a place that stands for many', () => {
    expect(isCut({ type: 'object' }, '/request_body/schema/properties/card', truncated)).toBe(true);
    expect(isCut({ type: 'string' }, '/request_body/schema/properties/name', truncated)).toBe(false);
    expect(isCut({ properties: { a: {} } }, '/request_body/schema', truncated)).toBe(false);
  });
});
