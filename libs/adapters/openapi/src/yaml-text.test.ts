import { expect, test } from 'vitest';
import { Violations } from './violations.ts';
import { convertYamlToJson } from './yaml-text.ts';

const toJson = (yaml: string, warnings = new Violations()): string =>
  Buffer.from(convertYamlToJson(Buffer.from(yaml), warnings)).toString();

test.each([
  ['dates remain strings', 'a: 2026-01-31\nb: 2026-01-31T10:00:00Z', '{"a":"2026-01-31","b":"2026-01-31T10:00:00Z"}'],
  ['booleans that exist only in YAML 1.1 are strings', 'a: yes\nb: off\nc: true', '{"a":"yes","b":"off","c":true}'],
  [
    'keys are strings, exactly as written',
    '200: a\n1.10: b\nnull: c\ntrue: d',
    '{"200":"a","1.10":"b","null":"c","true":"d"}',
  ],
  [
    'keys keep their order, even those that look like numbers',
    'zz: a\n404: b\n"1": {b: [], a: {}, 0: []}',
    '{"zz":"a","404":"b","1":{"b":[],"a":{},"0":[]}}',
  ],
  [
    'an integer keeps all its digits',
    'a: 12345678901234567890\nb: -9007199254740993',
    '{"a":12345678901234567890,"b":-9007199254740993}',
  ],
  [
    'a decimal keeps all its digits and its notation',
    '[1.10, 1.0, 0.10, 12e3, -0.5E-7, 3.14159265358979323846, 12345678901234567890.5, 1e400]',
    '[1.10,1.0,0.10,12e3,-0.5E-7,3.14159265358979323846,12345678901234567890.5,1e400]',
  ],
  [
    'a number that JSON writes differently becomes an equal one',
    '[+5, .5, 5., +1.10, -.5e+3, 00123, 007.50, 00.5, 9_0]',
    '[5,0.5,5,1.10,-0.5e+3,123,7.50,0.5,"9_0"]',
  ],
  [
    'numbers in other bases become decimal',
    'a: 0x1F\nb: 0o17\nc: 0xFFFFFFFFFFFFFFFFF',
    '{"a":31,"b":15,"c":295147905179352825855}',
  ],
  ['YAML 1.1 has its own numbers', '%YAML 1.1\n---\n[0755, 1_000.50, 1:30, yes]', '[493,1000.50,90,true]'],
  ['a quoted number is a string', 'a: "1.10"\nb: !!str 1.10', '{"a":"1.10","b":"1.10"}'],
  ['an empty value is null', 'a:\nb: ~', '{"a":null,"b":null}'],
  ['multi-line strings are joined', 'a: |\n  x\n  y\nb: >-\n  x\n  y', '{"a":"x\\ny\\n","b":"x y"}'],
  ['aliases repeat their anchor', 'a: &x [1]\nb: *x', '{"a":[1],"b":[1]}'],
  ['merge keys are merged', 'a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3', '{"a":{"p":1,"q":2},"b":{"p":1,"q":3}}'],
  ['JSON is YAML', '{"a": [1, "b", null]}', '{"a":[1,"b",null]}'],
  ['a key named like a prototype is data', '__proto__: {a: 1}', '{"__proto__":{"a":1}}'],
  ['an unknown tag leaves the value unchanged', 'a: !pet dog', '{"a":"dog"}'],
  [
    'a tag of a different schema leaves the value unchanged',
    'a: !!timestamp 2026-01-31\nb: !!binary aGk=\nc: !!set {x: }\nd: !!omap [x: 1]',
    '{"a":"2026-01-31","b":"aGk=","c":{"x":null},"d":[{"x":1}]}',
  ],
  ['a value that is neither a list nor a mapping', '~', 'null'],
])('%s', (_sentence, yaml, expected) => {
  expect(toJson(yaml)).toBe(expected);
});

const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
for (let i = 1; i < 10; i++) bomb.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);

test.each([
  ['a duplicate key', 'a: 1\nb:\n  c: 1\n  c: 2', /Map keys must be unique at line 4, column 3/],
  ['a second merge key', 'a: &x {p: 1}\nb:\n  <<: *x\n  <<: *x', /Map keys must be unique at line 4, column 3/],
  ['a duplicate key in a line', 'a: {b: 1, "b": 2}', /Map keys must be unique at line 1, column 11/],
  ['a mapping on the line of its key', 'a: 1\nb: c: d', /line 2, column 4/],
  ['a tab as indentation', 'a:\n\tb: 1', /line 2, column 1/],
  ['an unterminated quoted string', 'a: "b\n', /line \d, column \d/],
  ['two documents', 'a: 1\n---\nb: 2', /more than one document; put each into a file of its own.* at line 2, column 1/],
  ['an alias without an anchor', 'a: *x', /Unresolved alias.*x/],
  ['aliases that multiply', bomb.join('\n'), /Excessive alias count/],
  [
    'a long text that is repeated very often',
    `a: &a ${'x'.repeat(1_000_000)}\nb:\n${'  - *a\n'.repeat(100)}`,
    /aliases .* beyond 64 MB/,
  ],
  ['a key that is not a string', '? [a]\n: 1', /line 1, column 3/],
  ['sequences that are nested too deeply', '- '.repeat(5_000), /nested too deeply|call stack/],
  ['more parts than fit into memory', '- a\n'.repeat(600_000), /more than 1000000 parts/],
])('%s is rejected, with its position', (_name, yaml, reason) => {
  expect(() => toJson(yaml)).toThrow(reason);
});

test('a number that JSON cannot represent becomes null, with a warning for each position', () => {
  const warnings = new Violations();
  expect(toJson('a: &a {"b/c": .inf}\nd: [-.inf, .nan]\ne: *a', warnings)).toBe(
    '{"a":{"b/c":null},"d":[null,null],"e":{"b/c":null}}',
  );
  const message = (value: string) => `is ${value}, a number that JSON cannot represent; null is stored instead`;
  expect(warnings.first).toEqual([
    { pointer: '/a/b~1c', message: message('.inf') },
    { pointer: '/d/0', message: message('-.inf') },
    { pointer: '/d/1', message: message('.nan') },
    { pointer: '/e/b~1c', message: message('.inf') },
  ]);
});
