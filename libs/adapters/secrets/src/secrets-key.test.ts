import { expect, test } from 'vitest';
import { makeSecretsKey, parseSecretsKey } from './secrets-key.ts';

test('a new key can be parsed, and is different every time', () => {
  const [first, second] = [makeSecretsKey(), makeSecretsKey()];
  expect(parseSecretsKey(first, 'SECRETS_KEY')).toHaveLength(32);
  expect(parseSecretsKey(first, 'SECRETS_KEY')).not.toEqual(parseSecretsKey(second, 'SECRETS_KEY'));
});

test('only 32 bytes in base64 are a key', () => {
  expect(parseSecretsKey(` ${Buffer.alloc(32, 1).toString('base64')}\n`, 'SECRETS_KEY')).toHaveLength(32);
  for (const bytes of [0, 31, 33]) {
    expect(() => parseSecretsKey(Buffer.alloc(bytes, 1).toString('base64'), 'SECRETS_KEY')).toThrow('32 bytes');
  }
});

test('an invalid key is reported by its source, without the key itself', () => {
  const parse = () => parseSecretsKey('too short but secret', '/data/secrets.key');
  expect(parse).toThrow('/data/secrets.key is not a secrets key');
  expect(parse).not.toThrow('too short but secret');
});
