import type { SignInWay } from '@portico/composition';
import { expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import type { Start } from '../subject.ts';

const signInWays: readonly SignInWay[] = [
  {
    kind: 'firebase',
    name: 'Firebase',
    apiKey: 'AIzaSyExample',
    signInUrl: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
    tokenUrl: 'https://securetoken.googleapis.com/v1/token',
  },
  {
    kind: 'oidc',
    name: 'id.example.com',
    issuer: 'https://id.example.com/realms/portico',
    metadataUrl: 'https://id.example.com/realms/portico/.well-known/openid-configuration',
    clientId: 'console',
    scopes: 'openid email offline_access',
  },
  {
    kind: 'local',
    name: 'one-time code',
    issuer: 'https://local-issuer.portico.invalid',
    metadataUrl: '/local-issuer/.well-known/openid-configuration',
    clientId: 'portico',
    scopes: 'openid email',
  },
];

/** Tests the configuration that the console's page reads before sign-in. */
export const consoleSuite = (start: Start): void => {
  const { call } = provideSubject(start, { http: { signInWays } });

  test('anyone may read the sign-in methods, in order of preference', async () => {
    const { status, body } = await call('GET', '/console/config.json');
    expect(status).toBe(200);
    expect(body).toEqual({
      service: 'portico',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      ways: [
        {
          kind: 'firebase',
          name: 'Firebase',
          api_key: 'AIzaSyExample',
          sign_in_url: 'https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
          token_url: 'https://securetoken.googleapis.com/v1/token',
        },
        {
          kind: 'oidc',
          name: 'id.example.com',
          issuer: 'https://id.example.com/realms/portico',
          metadata_url: 'https://id.example.com/realms/portico/.well-known/openid-configuration',
          client_id: 'console',
          scopes: 'openid email offline_access',
        },
        {
          kind: 'local',
          name: 'one-time code',
          issuer: 'https://local-issuer.portico.invalid',
          metadata_url: '/local-issuer/.well-known/openid-configuration',
          client_id: 'portico',
          scopes: 'openid email',
        },
      ],
    });
  });

  test('a changed configuration is visible immediately: the response is not cached', async () => {
    const { headers } = await call('GET', '/console/config.json');
    expect(headers['cache-control']).toBe('no-cache');
    expect((await call('POST', '/console/config.json')).headers.allow).toBe('GET, HEAD');
  });

  test('requests for the configuration are not counted, and credentials are not checked', async () => {
    const { status, headers } = await call('GET', '/console/config.json', { token: 'not a token' });
    expect(status).toBe(200);
    expect(headers['ratelimit']).toBeUndefined();
  });
};
