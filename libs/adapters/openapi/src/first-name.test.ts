import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstNameAt } from './first-name.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

test.each<[string, string, readonly (string | number)[], string | undefined]>([
  ['names that look like numbers keep their order', '{"zz":1,"1":2}', [], 'zz'],
  ['a name that looks like a number can be the first', ' { "2" : [] , "1" : {} } ', [], '2'],
  ['the path goes through members and items', '{"a":[0,{"b":{"z":1,"0":1}}]}', ['a', 1, 'b'], 'z'],
  ['if a member on the path is duplicated, the last one counts', '{"a":{"x":1},"b":0,"a":{"y":1,"0":2}}', ['a'], 'y'],
  ['a duplicate name is the first if it comes first', '{"a":1,"0":2,"a":3}', [], 'a'],
  ['names can contain escapes', '{"\\u0061":{"\\"}":1}}', ['a'], '"}'],
  ['strings can contain structural characters', '{"x":"}],{\\\\\\"","a":{"é{":[]}}', ['a'], 'é{'],
  ['an empty object has no first name', '{"a":{ }}', ['a'], undefined],
  ['a list has no first name', '{"a":[1]}', ['a'], undefined],
  ['a string has no first name', '{"a":"b"}', ['a'], undefined],
  ['an absent member has no first name', '{"a":{}}', ['b', 'c'], undefined],
  ['an absent item has no first name', '{"a":[{"x":1}]}', ['a', 1], undefined],
  ['an inherited property does not count', '{}', ['constructor'], undefined],
  ['numbers and literals are skipped', '{"n":-1.5e+3,"t":true,"o":null,"a":{"z":0}}', ['a'], 'z'],
])('%s', (_sentence, text, path, name) => {
  expect(firstNameAt(bytesOf(text), path)).toBe(name);
});

test('if names are not numbers, the first name at every path equals that of the parsed value', () => {
  const name = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed() && !/^\d/.test(text));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, fc.jsonValue({ maxDepth: 0 }), tie('list'), tie('object')),
    list: fc.array(tie('tree'), { maxLength: 3 }),
    object: fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(tree, fc.constantFrom(0, 2), (value, indent) => {
      const text = bytesOf(JSON.stringify(value, null, indent));
      for (const [path, part] of partsOf(value)) expect(firstNameAt(text, path)).toBe(firstNameOf(part));
    }),
    { numRuns: 50 },
  );
});

function* partsOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<[readonly (string | number)[], unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, part] of Object.entries(value)) yield* partsOf(part, [...path, isList ? Number(name) : name]);
}

const firstNameOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value)[0] : undefined;
