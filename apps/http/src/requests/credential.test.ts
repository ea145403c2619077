import { makeAccountToken, makeSecret, type ServiceAccountId } from '@portico/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { credentialOf } from './credential.ts';

const clientId = '0b7f9d0e-1c2d-4e3f-8a4b-5c6d7e8f9a0b';
const secret = makeSecret(new Uint8Array(32));

const accountToken = makeAccountToken(clientId as ServiceAccountId, new Uint8Array(32));

const malformedCredential = (credentialKind: 'token' | 'key') => ({ kind: 'malformed', credentialKind });

describe('the credential of a request', () => {
  test('is none if no header contains one', () => {
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

  test('is a key pair if both headers are sent, in any order and case', () => {
    expect(credentialOf(['x-api-KEY', 's', 'Host', 'x', 'X-CLIENT-id', 'c'])).toEqual({
      kind: 'key',
      clientId: 'c',
      secret: 's',
    });
  });

  test.each([
    ['the API key', ['x-api-key', `${clientId}.${secret}`]],
    ['a token', ['AUTHORIZATION', `bearer ${clientId}.${secret}`]],
  ])('is a key pair in one string as %s', (_case, headers) => {
    expect(credentialOf(headers)).toEqual({ kind: 'key', clientId, secret });
  });

  test('is a service account if its token is sent as a bearer token', () => {
    const account = { kind: 'account', id: clientId, token: accountToken };
    expect(credentialOf(['Authorization', `Bearer ${accountToken}`])).toEqual(account);
    expect(credentialOf(['X-API-Key', accountToken])).toEqual(malformedCredential('key'));
    expect(credentialOf(['X-Client-ID', clientId, 'X-API-Key', accountToken])).toMatchObject({ kind: 'key' });
    const bothCredentials = ['Authorization', `Bearer ${accountToken}`, 'X-API-Key', secret];
    expect(credentialOf(bothCredentials)).toEqual(malformedCredential('token'));
  });

  test('is malformed if the token of a service account is mistyped, so the store is not read', () => {
    for (const invalidToken of [
      `${accountToken}0`,
      accountToken.slice(0, -1),
      accountToken.replace(/.$/, '-'),
      'portico_sa_',
    ])
      expect(credentialOf(['Authorization', `Bearer ${invalidToken}`])).toEqual(malformedCredential('token'));
  });

  test('is a key pair in one string with any secret, so a mistyped secret is rejected as a key pair', () => {
    for (const invalidSecret of ['', 'x', `${secret}x`, '-_~+/=']) {
      expect(credentialOf(['X-API-Key', `${clientId}.${invalidSecret}`])).toMatchObject({
        kind: 'key',
        secret: invalidSecret,
      });
    }
    expect(credentialOf(['Authorization', `Bearer ${clientId}.x`])).toMatchObject({ kind: 'key', secret: 'x' });
  });

  test.each([
    ['three parts', `${clientId}.${secret}.x`],
    ['an identifier that is not a UUID', `g${clientId.slice(1)}.${secret}`],
    ['an identifier that is too short', `${clientId.slice(1)}.${secret}`],
    ['an identifier that is too long', `0${clientId}.${secret}`],
    ['another separator', `${clientId}_${secret}`],
    ['an identifier alone', clientId],
  ])('is not a key pair in one string with %s', (_case, text) => {
    expect(credentialOf(['X-API-Key', text])).toEqual(malformedCredential('key'));
    expect(credentialOf(['Authorization', `Bearer ${text}`])).toEqual({ kind: 'token', token: text });
  });

  test('is the same key pair in one string as in two headers', () => {
    const bearerText = fc.stringMatching(/^[A-Za-z0-9\-_~+/]+$/);
    fc.assert(
      fc.property(fc.uuid(), bearerText, fc.boolean(), (id, secretText, isUpperCase) => {
        const sentId = isUpperCase ? id.toUpperCase() : id;
        const credential = credentialOf(['X-Client-ID', sentId, 'X-API-Key', secretText]);
        expect(credentialOf(['X-API-Key', `${sentId}.${secretText}`])).toEqual(credential);
        expect(credentialOf(['Authorization', `Bearer ${sentId}.${secretText}`])).toEqual(credential);
      }),
    );
  });

  test('of any three parts in a bearer header is a token', () => {
    const part = fc.oneof(
      fc.uuid(),
      fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '_')),
      fc.constant(secret),
    );
    fc.assert(
      fc.property(part, part, part, (...parts) => {
        const token = parts.join('.');
        expect(credentialOf(['Authorization', `Bearer ${token}`])).toEqual({ kind: 'token', token });
      }),
    );
  });

  test('treats one string as the secret if an identifier is sent too', () => {
    const text = `${clientId}.${secret}`;
    expect(credentialOf(['X-Client-ID', clientId, 'X-API-Key', text])).toEqual({ kind: 'key', clientId, secret: text });
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
    ['one string twice', ['Authorization', `Bearer ${clientId}.${secret}`, 'X-API-Key', `${clientId}.${secret}`]],
    [
      'one string as a repeated token',
      Array.from({ length: 2 }, () => ['Authorization', `Bearer ${clientId}.s`]).flat(),
    ],
    ['one string with a different scheme', ['Authorization', `Basic ${clientId}.${secret}`]],
  ])('is a malformed token with %s', (_case, headers) => {
    expect(credentialOf(headers)).toEqual(malformedCredential('token'));
  });

  test.each([
    ['a repeated identifier', ['X-Client-ID', 'c', 'X-Client-Id', 'c', 'X-API-Key', 's']],
    ['a repeated key', ['X-Client-ID', 'c', 'X-API-Key', 's', 'X-API-Key', 's']],
    ['an identifier alone', ['X-Client-ID', 'c']],
    ['a key alone', ['X-API-Key', 's']],
    ['an API secret sent as a token', ['Authorization', `Bearer ${secret}`]],
    ['one string twice', ['X-API-Key', `${clientId}.${secret}`, 'X-API-Key', `${clientId}.${secret}`]],
    ['one string and a repeated identifier', ['X-Client-ID', 'c', 'X-Client-ID', 'c', 'X-API-Key', `${clientId}.s`]],
  ])('is a malformed key pair with %s', (_case, headers) => {
    expect(credentialOf(headers)).toEqual(malformedCredential('key'));
  });

  test('has at most 8 KiB', () => {
    const createHeader = (length: number) => ['Authorization', `Bearer ${'a'.repeat(length - 7)}`];
    expect(credentialOf(createHeader(8_192)).kind).toBe('token');
    expect(credentialOf(createHeader(8_193))).toEqual(malformedCredential('token'));
  });
});
