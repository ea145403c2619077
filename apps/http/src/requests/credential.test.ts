import { makeSecret } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { credentialOf } from './credential.ts';

const malformed = (form: 'token' | 'key') => ({ kind: 'malformed', form });

describe('the credential of a request', () => {
  test('is none without any of its headers', () => {
    expect(credentialOf([])).toEqual({ kind: 'none' });
    expect(credentialOf(['Host', 'x', 'X-Client-IP', 'y', 'X-API-Kex', 'z', 'Authorizatiom', 'Bearer x'])).toEqual({
      kind: 'none',
    });
  });

  test.each(['Bearer', 'bearer', 'BEARER'])('is a token with the scheme %s', (scheme) => {
    expect(credentialOf(['aUTHORIZATION', `${scheme} a.b-c_d~e+f/g==`])).toEqual({
      kind: 'token',
      token: 'a.b-c_d~e+f/g==',
    });
  });

  test('is a key pair with both of its headers, in any order and case', () => {
    expect(credentialOf(['x-api-KEY', 's', 'Host', 'x', 'X-CLIENT-id', 'c'])).toEqual({
      kind: 'key',
      clientId: 'c',
      secret: 's',
    });
  });

  test.each([
    ['no scheme', ['Authorization', 'token']],
    ['no token', ['Authorization', 'Bearer ']],
    ['two spaces', ['Authorization', 'Bearer  a']],
    ['a tab', ['Authorization', 'Bearer\ta']],
    ['an empty header', ['Authorization', '']],
    ['another scheme', ['Authorization', 'Basic eDp5']],
    ['two tokens in one', ['Authorization', 'Bearer a, Bearer b']],
    ['a repeated token', ['Authorization', 'Bearer a', 'authorization', 'Bearer a']],
    ['both forms', ['Authorization', 'Bearer a', 'X-Client-ID', 'c', 'X-API-Key', 's']],
    ['a token and half a pair', ['Authorization', 'Bearer a', 'X-API-Key', 's']],
  ])('is a malformed token with %s', (_what, headers) => {
    expect(credentialOf(headers)).toEqual(malformed('token'));
  });

  test.each([
    ['a repeated identifier', ['X-Client-ID', 'c', 'X-Client-Id', 'c', 'X-API-Key', 's']],
    ['a repeated key', ['X-Client-ID', 'c', 'X-API-Key', 's', 'X-API-Key', 's']],
    ['an identifier alone', ['X-Client-ID', 'c']],
    ['a key alone', ['X-API-Key', 's']],
    ['an API secret sent as a token', ['Authorization', `Bearer ${makeSecret(new Uint8Array(32))}`]],
  ])('is a malformed key pair with %s', (_what, headers) => {
    expect(credentialOf(headers)).toEqual(malformed('key'));
  });

  test('has at most 8 KiB', () => {
    const header = (length: number) => ['Authorization', `Bearer ${'a'.repeat(length - 7)}`];
    expect(credentialOf(header(8_192)).kind).toBe('token');
    expect(credentialOf(header(8_193))).toEqual(malformed('token'));
  });
});
