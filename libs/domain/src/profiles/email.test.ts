import { expect, test } from 'vitest';
import { toEmailKey, isSameEmail, toStoredEmail } from './email.ts';

test.each([
  ['Mia@Example.com', 'mia@example.com'],
  ['jos\u00e9@example.com', 'jose\u0301@EXAMPLE.com'],
  ['user@b\u00fccher.example', 'user@xn--bcher-kva.example'],
  ['user@B\u00dcCHER.example', 'user@bu\u0308cher.example'],
  ['user@XN--BCHER-KVA.example', 'user@b\u00fccher.example'],
  ['a@\uff45xample.com', 'a@example.com'],
  ['Admin@LOCALHOST', 'admin@localhost'],
])('%s and %s are the same mailbox', (a, b) => {
  expect(isSameEmail(a, b)).toBe(true);
  expect(toEmailKey(toEmailKey(a) ?? '')).toBe(toEmailKey(a));
});

test.each([
  ['boss@corp.example', 'boss@corp.example '],
  ['boss@corp.example', '\u00a0boss@corp.example'],
  ['boss@b\u00fccher.example', 'boss@b\u00fccher.example\t'],
  ['kim@corp.example', '\u212Aim@corp.example'],
  ['kim@corp.example', 'k\u0131m@corp.example'],
  ['\u00fcli@corp.example', '\u00dcli@corp.example'],
  ['boss@corp.example', 'boss@corp.example.'],
  ['a+b@example.com', 'a@example.com'],
  ['a@example.com', 'a@example.com/x'],
  ['a@b\u00fc.example', 'a@b\u00fc.example/x'],
  ['a@b\u00fc.example', 'a@b\u00fc.example:80'],
  ['a@b\u00fc.example', 'a@%62\u00fc.example'],
])('%s and %s are different mailboxes', (a, b) => {
  expect([isSameEmail(a, b), isSameEmail(b, a), isSameEmail(a, a)]).toEqual([false, false, true]);
});

test('an invalid address does not equal any address, not even itself', () => {
  for (const text of ['', ' ', 'x', '@example.com', 'a@', 'a@b\0c']) {
    expect([toEmailKey(text), isSameEmail(text, text)]).toEqual([null, false]);
  }
});

test.each([
  ['a soft hyphen', 'boss@exam\u00adple.com'],
  ['a zero-width space', 'boss@example.com\u200b'],
  ['a joiner', 'boss@exam\u200dple.com'],
  ['a variation selector', 'boss@exam\ufe0fple.com'],
  ['dots of other scripts', 'boss@example\u3002com'],
  ['dots of other scripts', 'boss@example\uff0ecom'],
  ['dots of other scripts', 'boss@example\uff61com'],
  ['a control character', 'boss@exam\u0085ple.com'],
  ['digits that make it an IPv4 address', 'bob@\uff11\uff12\uff17.1'],
])('an address whose domain has %s does not equal any address, not even itself: %j', (_description, text) => {
  expect([toEmailKey(text), isSameEmail(text, text)]).toEqual([null, false]);
});

test('an email is stored in NFC, with ASCII letters in lower case and the domain as it was sent', () => {
  expect(toStoredEmail(' Jose\u0301@B\u00fccher.Example ')).toBe('jos\u00e9@b\u00fccher.example');
  expect(toStoredEmail('\u00dcLI@example.com')).toBe('\u00dcli@example.com');
});
