import { describe, expect, test } from 'vitest';
import { NumberText } from '../../src/calls-check/json-text.ts';
import { describeCall, hasCases, readCase, textOf } from './described-call.ts';

describe.skipIf(!hasCases)('numbers have the text of the document', () => {
  const numbers = ['9007199254740993', '9223372036854775807', '-9223372036854775808', '1.10', '1.0'];

  test('in slice, tool, curl line and prepared request', () => {
    const call = describeCall(readCase('06-int64-precision/openapi.json'), 'POST /flakes');
    for (const text of [call.texts.slice, call.texts.tool]) {
      for (const number of numbers) expect(text).toMatch(new RegExp(`[^\\d.]${number.replace('.', '\\.')}[^\\d.]`));
      expect(text).toMatch(/\[1152921504606846977, ?1152921504606846979\]/);
    }
    expect(call.texts.slice).toMatch(/"multipleOf":0\.10[,}]/);
    expect(call.texts.slice).toContain('12345678901234567890.5');
    expect(call.curl.body).toMatch(/"region":115292150460684697[79][,}]/);
    const args = {
      after: new NumberText('9007199254740993'),
      region: new NumberText('1152921504606846979'),
      weight: new NumberText('1.10'),
    };
    const request = call.prepare(args);
    expect(request.url).toContain('after=9007199254740993');
    expect(textOf(request)).toContain('"region":1152921504606846979');
  });
});

describe.skipIf(!hasCases)('the values of a discriminator are shown', () => {
  const text = hasCases ? readCase('07-discriminator/openapi.yaml') : '';
  const bank = { kind: 'bank_v2', iban: 'CH93' };
  const card = { kind: 'card_push', card: '4242' };

  test('the alternatives of a payout have the keys of the mapping', () => {
    const call = describeCall(text, 'POST /payouts');
    expect(call.acceptsBody(bank)).toBe(true);
    expect(call.acceptsBody(card)).toBe(true);
    expect(call.acceptsBody({ ...bank, kind: 'KIND' })).toBe(false);
    expect(call.acceptsBody({ ...bank, kind: 'card_push' })).toBe(false);
    for (const key of ['bank_v2', 'card_push']) expect(call.texts.slice).toContain(`"${key}"`);
    expect(['bank_v2', 'card_push']).toContain((call.readCurlJson() as { kind: string }).kind);
  });

  test('the subtypes of an animal are its alternatives', () => {
    const call = describeCall(text, 'POST /animals');
    expect(call.acceptsBody({ species: 'cat', name: 'Tom', hunts: 'mice' })).toBe(true);
    expect(call.acceptsBody({ species: 'dog', name: 'Rex', pack_size: 3 })).toBe(true);
    expect(call.acceptsBody({ species: 'bird', name: 'Tweety' })).toBe(false);
    expect(call.acceptsBody({ species: 'dog', name: 'Rex', pack_size: 'three' })).toBe(false);
    for (const name of ['hunts', 'pack_size', 'cat', 'dog']) expect(call.texts.slice).toContain(`"${name}"`);
  });
});

describe.skipIf(!hasCases)('a circle ends, and is listed', () => {
  const text = hasCases ? readCase('18-circles-and-depth/openapi.yaml') : '';

  test.for(['POST /tree', 'POST /self', 'POST /shape'])('%s', (operation) => {
    const call = describeCall(text, operation);
    expect(call.fullSlice.truncated).toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'cycle' })]));
  });

  test('the circular parts of an allOf are merged', () => {
    expect(describeCall(text, 'POST /a').tool.input_schema.properties).toMatchObject({
      a: { type: 'string' },
      b: { type: 'string' },
    });
  });

  test('a tree needs a name and children', () => {
    const call = describeCall(text, 'POST /tree');
    expect(call.acceptsBody({ name: 'a', children: [] })).toBe(true);
    expect(call.acceptsBody({ name: 'a' })).toBe(false);
  });

  test('a placeholder whose parameter is a circle is a required argument', () => {
    const call = describeCall(text, 'GET /param/{loop}');
    expect(call.slice.parameters).toEqual([expect.objectContaining({ name: 'loop', in: 'path' })]);
    expect(call.acceptsArguments({})).toBe(false);
    expect(call.prepare({ loop: 'a b' }).url).toBe('https://circles.example/param/a%20b');
  });
});

describe.skipIf(!hasCases)('a tool accepts the values that its operation accepts', () => {
  const text = hasCases ? readCase('19-tool-schema/openapi.yaml') : '';

  test.for([
    ['POST /allof-conflict', { kind: 'special', size: 3 }, true],
    ['POST /allof-conflict', { kind: 'anything', size: 3 }, false],
    ['POST /allof-conflict', { kind: 'special', size: 99 }, false],
    ['POST /allof-conflict', { kind: 'special', size: 0 }, false],
    ['POST /allof-conflict', { size: 3 }, false],
    ['POST /top-level-one-of', { base: 'x', a: 'x', c: 'x' }, true],
    ['POST /top-level-one-of', { base: 'x', b: 'x', d: 'x' }, true],
    ['POST /top-level-one-of', { base: 'x', c: 'x' }, false],
    ['POST /top-level-one-of', { base: 'x', a: 'x' }, false],
    ['POST /required-alternatives', { email: 'a@b.example' }, true],
    ['POST /required-alternatives', { phone: '1' }, true],
    ['POST /required-alternatives', {}, false],
    ['POST /nullable-object', { a: 'x' }, true],
    ['POST /map', { a1: 1.5 }, true],
    ['POST /map', { a1: 'one' }, false],
    ['POST /map-and-known', { currency: 'EUR', a1: 2 }, true],
    ['POST /map-and-known', { a1: 2 }, false],
    ['POST /map-and-known', { currency: 'EUR', a1: 'two' }, false],
    ['POST /optional-body', { a: 'x' }, true],
  ] as const)('%s: %j is %s', ([operation, body, isAccepted]) => {
    expect(describeCall(text, operation).acceptsBody(body)).toBe(isAccepted);
  });

  test('an entry of a map reaches the body', () => {
    const call = describeCall(text, 'POST /map-and-known');
    expect(JSON.parse(textOf(call.prepare({ body: { currency: 'EUR', a1: 2 } })))).toEqual({ currency: 'EUR', a1: 2 });
  });

  test('null and booleans stay in types and enums', () => {
    const call = describeCall(text, 'PUT /odd/{id}');
    const key = call.keyOf;
    const valid = {
      [key('path', 'id')]: '0f0e4c4e-26a5-4e9e-9f3a-3a2a3c1c2d4e',
      [key('body', 'id')]: null,
      [key('body', '__proto__')]: 'x',
      [key('body', 'a-b')]: null,
      [key('body', 'tags')]: [],
    };
    expect(call.acceptsArguments(valid)).toBe(true);
    for (const mixed of [1, 'two', true, null])
      expect(call.acceptsArguments({ ...valid, [key('body', 'mixed')]: mixed })).toBe(true);
    expect(call.acceptsArguments({ ...valid, [key('body', 'mixed')]: 'three' })).toBe(false);
    expect(call.acceptsArguments({ ...valid, [key('body', 'yes')]: false })).toBe(false);
    expect(call.acceptsArguments({ ...valid, [key('body', 'id')]: [] })).toBe(false);
    const body = JSON.parse(textOf(call.prepare({ ...valid, [key('query', 'filter[name]')]: 'f' }))) as object;
    expect(Object.entries(body)).toEqual([
      ['id', null],
      ['__proto__', 'x'],
      ['a-b', null],
      ['tags', []],
    ]);
  });
});
