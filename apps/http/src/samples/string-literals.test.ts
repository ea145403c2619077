import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  quoteCSharp,
  quoteGo,
  quoteJava,
  quoteJavaScript,
  quotePhp,
  quotePowerShell,
  quotePython,
  quoteRuby,
  type Quote,
} from './string-literals.ts';

const hostileTexts = [
  '',
  '"; exit(1); "',
  "'; exit(1); '",
  '\\',
  '\\"',
  'a\\u0022b \\x22 \\042',
  '"""',
  "'''",
  '`id` ``` ${id} $id $(id) {$id} ${{id}}',
  '#{id} #$0 #@a #',
  '%s %d %{a} %%',
  '\0\u0001\u001f\u007f\u0085\u009f',
  '1\u00002',
  'a\nb\r\nc\rd\te\v\f\b',
  '\u2028\u2029\ufeff\u200b\u202e\u00ad',
  '\u2018\u2019\u201a\u201b\u201c\u201d\u201e',
  '😀 \u{1f468}\u200d\u{1f469} \u{e0001} \u{10ffff} é ü',
  '<?php ?> */ // -- <!-- EOF\nJSON\n',
];

/** A language's rules of literals in double quotes. */
interface Rules {
  readonly quote: Quote;
  readonly escape: string;
  /** The characters after `escape`, and their meaning. */
  readonly names: Readonly<Record<string, string>>;
  /** Matches an escaped code after `escape`; the first group that matches is its hexadecimal number. */
  readonly codes: RegExp;
  /** Matches a character that ends the literal, or may begin an expression in it. */
  readonly dangers: RegExp;
}

const cNames = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"' };
const units = /u([0-9a-f]{4})/y;
const long = /u([0-9a-f]{4})|U([0-9a-f]{8})/y;
const braced = /u\{([0-9a-f]{1,6})\}/y;
const allRules: Readonly<Record<string, Rules>> = {
  JavaScript: { quote: quoteJavaScript, escape: '\\', names: cNames, codes: units, dangers: /["\r\n]/ },
  Python: { quote: quotePython, escape: '\\', names: cNames, codes: long, dangers: /["\r\n\0]/ },
  Go: { quote: quoteGo, escape: '\\', names: cNames, codes: long, dangers: /["\r\n\0\ufeff]/ },
  Java: { quote: quoteJava, escape: '\\', names: cNames, codes: units, dangers: /["\r\n]/ },
  'C#': { quote: quoteCSharp, escape: '\\', names: cNames, codes: units, dangers: /["\r\n\u0085\u2028\u2029]/ },
  PHP: { quote: quotePhp, escape: '\\', names: { ...cNames, $: '$' }, codes: braced, dangers: /["$]/ },
  Ruby: { quote: quoteRuby, escape: '\\', names: { ...cNames, '#': '#' }, codes: braced, dangers: /["#]/ },
  PowerShell: {
    quote: quotePowerShell,
    escape: '`',
    names: {
      n: '\n',
      r: '\r',
      t: '\t',
      ...Object.fromEntries(['`', '$', '"', '\u201c', '\u201d', '\u201e'].map((character) => [character, character])),
    },
    codes: braced,
    dangers: /["$\u201c-\u201e]/,
  },
};

/** Reads a literal by the rules of its language. Throws if it ends early, runs an expression, or has a raw control. */
function readLiteral(literal: string, { escape, names, codes, dangers }: Rules): string {
  const content = literal.slice(1, -1);
  let value = '';
  for (let index = 0; index < content.length; index++) {
    const character = content.charAt(index);
    if (character !== escape) {
      if (dangers.test(character) || /\p{Cc}/u.test(character)) throw new Error(`Unescaped at ${index}: ${literal}`);
      value += character;
      continue;
    }
    const next = content.charAt(index + 1);
    codes.lastIndex = index + 1;
    const code = codes.exec(content);
    if (!code && !Object.hasOwn(names, next)) throw new Error(`Unknown escape at ${index}: ${literal}`);
    value += code ? decode(code) : names[next];
    index += code ? code[0].length : 1;
  }
  return value;
}

const decode = ([, ...groups]: RegExpExecArray): string => {
  const digits = groups.find((group) => group !== undefined) ?? '';
  const number = Number.parseInt(digits, 16);
  return digits.length === 4 ? String.fromCharCode(number) : String.fromCodePoint(number);
};

describe.each(Object.entries(allRules))('a literal of %s', (_, rules) => {
  test.each(hostileTexts)('has the value %j', (text) => {
    const literal = rules.quote(text);
    expect([literal.at(0), literal.at(-1), readLiteral(literal, rules)]).toEqual(['"', '"', text]);
  });

  test('has the value of any text', () => {
    const texts = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes).toWellFormed()),
      fc.string({ unit: fc.constantFrom(...'"\\\'`$#{}()@%\n\r\0u0012"x\u201c\u2028😀') }),
    );
    fc.assert(fc.property(texts, (text) => readLiteral(rules.quote(text), rules) === text));
  });

  test('has a replacement character in the place of a lone surrogate', () => {
    expect(readLiteral(rules.quote('a\ud800b'), rules)).toBe('a\ufffdb');
  });
});

test('Node reads a literal of JavaScript as its text', () => {
  for (const text of hostileTexts) expect((0, eval)(quoteJavaScript(text)), JSON.stringify(text)).toBe(text);
});
