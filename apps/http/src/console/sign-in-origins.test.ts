import type { SignInWay } from '@portico/composition';
import { expect, test } from 'vitest';
import { signInOriginsOf } from './sign-in-origins.ts';

const oidc: SignInWay = {
  kind: 'oidc',
  name: 'id.example.com',
  issuer: 'https://id.example.com/realms/one',
  metadataUrl: 'https://id.example.com/realms/one/.well-known/openid-configuration',
  clientId: 'portico',
  scopes: 'openid',
};
const local: SignInWay = {
  ...oidc,
  kind: 'local',
  issuer: 'https://local-issuer.portico.invalid',
  metadataUrl: '/local-issuer/.well-known/openid-configuration',
};
const firebase: SignInWay = {
  kind: 'firebase',
  name: 'Firebase',
  apiKey: 'key',
  signInUrl: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
  tokenUrl: 'https://securetoken.googleapis.com/v1/token',
};

test("until its endpoints are known, the issuer's own origin is allowed", () => {
  expect(signInOriginsOf([oidc], [])).toEqual(['https://id.example.com']);
});

test('each origin of an endpoint is listed once', () => {
  const endpoints = [
    'https://login.example.net/authorize',
    'https://login.example.net/token?api-version=2',
    'https://id.example.com/userinfo',
    'https://graph.example.org:8443/',
  ];
  expect(signInOriginsOf([oidc, local], endpoints)).toEqual([
    'https://graph.example.org:8443',
    'https://id.example.com',
    'https://login.example.net',
  ]);
});

test('an address other than http and https has no origin', () => {
  const invalidAddresses = ['app.example:/callback', 'data:text/html,x', 'not an address', '', 'file:///etc/hosts'];
  expect(signInOriginsOf([oidc], invalidAddresses)).toEqual(['https://id.example.com']);
});

test('the local issuer adds no origin: it is this service', () => {
  expect(signInOriginsOf([local], ['https://elsewhere.example.com/'])).toEqual([]);
  expect(signInOriginsOf([], [])).toEqual([]);
});

test('Firebase adds its two hosts, but not its issuer', () => {
  expect(signInOriginsOf([firebase, local], ['https://securetoken.google.com/'])).toEqual([
    'https://identitytoolkit.googleapis.com',
    'https://securetoken.googleapis.com',
  ]);
});
