import { expect, test } from 'vitest';
import { makeSecretsKey, parseSecretsKey } from './secrets-key.ts';

test('a new key can be parsed, and is different every time', () => {
  const [firstKey, secondKey] = [makeSecretsKey(), makeSecretsKey()];
  expect(parseSecretsKey(firstKey, 'SECRETS_KEY')).toHaveLength(32);
  expect(parseSecretsKey(firstKey, 'SECRETS_KEY')).not.toEqual(parseSecretsKey(secondKey, 'SECRETS_KEY'));
});

test('a key must be 32 bytes in base64', () => {
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
