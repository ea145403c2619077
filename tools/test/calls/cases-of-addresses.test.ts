import { describe, expect, test } from 'vitest';
import { describeCall, hasCases, headerOf, readCase } from './described-call.ts';

const servers = '01-servers-of-operation/openapi.yaml';
const security = '02-security-of-operation/';
const authentication = '16-kinds-of-authentication/';
const addresses = '17-base-url/';

describe.skipIf(!hasCases)('an operation is called at its own server', () => {
  test.for([
    ['GET /labels', 'https://api.depot.example/v1/labels'],
    ['GET /labels/{id}/scan', 'https://eu.depot.example/v1/labels/{id}/scan'],
    ['PUT /labels/{id}/scan', 'https://upload.depot.example/api/v1/labels/{id}/scan'],
  ] as const)('%s at %s', ([operation, url]) => {
    const call = describeCall(readCase(servers), operation);
    expect(call.slice.url).toBe(url);
    expect(call.fullSlice.url).toBe(url);
    expect(call.tool.request?.url).toBe(url);
    expect(call.curl.url.startsWith(url.split('{')[0] ?? '')).toBe(true);
    const args = operation === 'GET /labels' ? {} : { id: '7', ...(operation.startsWith('PUT') ? { body: 'x' } : {}) };
    expect(call.prepare(args).url).toBe(url.replace('{id}', '7'));
  });
});

describe.skipIf(!hasCases)('an operation has its own security', () => {
  const bearer = { scheme: 'bearerAuth', type: 'bearer', in: 'header', name: 'Authorization' };
  const header = (scheme: string, name: string) => ({ scheme, type: 'apiKey', in: 'header', name });

  test.for([
    ['openapi.yaml', 'GET /status', []],
    ['openapi.yaml', 'POST /token', [[{ scheme: 'clientBasic', type: 'basic', in: 'header', name: 'Authorization' }]]],
    [
      'openapi.yaml',
      'DELETE /admin/entries',
      [[header('adminKey', 'X-Admin-Key'), header('adminSecret', 'X-Admin-Secret')]],
    ],
    ['openapi.yaml', 'GET /entries', [[bearer]]],
    ['openapi.yaml', 'GET /public-or-private', [[], [bearer]]],
    ['and.yaml', 'GET /stock', [[header('appId', 'X-App-Id'), header('appKey', 'X-App-Key')]]],
    ['only-on-operations.yaml', 'GET /things', [[header('token', 'X-Token')]]],
    ['only-on-operations.yaml', 'GET /status', []],
    ['optional-first.yaml', 'GET /offers', [[], [header('key', 'X-Key')]]],
  ] as const)('%s: %s', ([file, operation, alternatives]) => {
    const { slice } = describeCall(readCase(security + file), operation);
    expect(slice.authentication).toHaveLength(alternatives.length);
    expect(slice.authentication).toEqual(
      expect.arrayContaining(
        alternatives.map((credentials) =>
          credentials.map((credential) => expect.objectContaining(credential) as object),
        ),
      ),
    );
  });

  test.for([
    ['openapi.yaml', 'GET /status', []],
    ['openapi.yaml', 'POST /token', ['Authorization']],
    ['openapi.yaml', 'DELETE /admin/entries', ['X-Admin-Key', 'X-Admin-Secret']],
    ['and.yaml', 'GET /stock', ['X-App-Id', 'X-App-Key']],
    ['only-on-operations.yaml', 'GET /things', ['X-Token']],
    ['only-on-operations.yaml', 'GET /status', []],
  ] as const)('the curl line of %s, %s, has the headers %j', ([file, operation, names]) => {
    const { curl } = describeCall(readCase(security + file), operation);
    const sentNames = curl.headers.map(([name]) => name).filter((name) => !/^(content-type|accept)$/i.test(name));
    expect(sentNames.sort()).toEqual([...names].sort());
  });

  test('the basic credential of POST /token is not a bearer token', () => {
    const { curl } = describeCall(readCase(`${security}openapi.yaml`), 'POST /token');
    expect(headerOf(curl, 'Authorization')).toMatch(/^Basic /);
  });
});

describe.skipIf(!hasCases)('an authentication that Portico cannot place is not "none"', () => {
  test.for([
    ['digest.json', 'GET /me', { scheme: 'digest', type: 'http' }],
    ['mtls.json', 'GET /me', { scheme: 'mtls', type: 'mutualTLS' }],
    [
      'oauth_cc.json',
      'GET /me',
      { scheme: 'oauth_cc', type: 'oauth2', scopes: ['read'], token_url: 'https://id.example/token' },
    ],
  ] as const)('%s', ([file, operation, credential]) => {
    const { slice } = describeCall(readCase(authentication + file), operation);
    expect(slice.authentication).toEqual([[expect.objectContaining(credential)]]);
  });
});

describe.skipIf(!hasCases)('an address is joined as a URL', () => {
  const operation = 'GET /me/{id}';

  test('without a scheme it is an https address', () => {
    const call = describeCall(readCase(`${addresses}protocolless.json`), operation);
    expect(call.slice.url).toBe('https://api.bare.example/v1/me/{id}');
    expect(call.tool.request?.url).toBe('https://api.bare.example/v1/me/{id}');
    expect(call.curl.url).toMatch(/^https:\/\/api\.bare\.example\/v1\/me\/[^/]+$/);
    expect(call.prepare({ id: 'a/b' }).url).toBe('https://api.bare.example/v1/me/a%2Fb');
  });

  test('a relative one stays relative, with a warning, unless the collection has a base URL', () => {
    const text = readCase(`${addresses}relative.json`);
    const call = describeCall(text, operation);
    expect(call.slice.url).toBe('/api/v3/me/{id}');
    expect(call.curl.url).toMatch(/\/api\/v3\/me\/[^/]+$/);
    expect(call.slice.warnings?.join()).toMatch(/relative|base/i);
    const callWithSetting = describeCall(text, operation, { baseUrl: 'https://own.example/x/' });
    expect(callWithSetting.slice.url).toBe('https://own.example/x/me/{id}');
    expect(callWithSetting.curl.url).toMatch(/^https:\/\/own\.example\/x\/me\//);
  });

  test('all servers are listed with their descriptions', () => {
    const { slice } = describeCall(readCase(`${addresses}sandboxfirst.json`), operation);
    expect(slice.url).toBe('http://localhost:8080/me/{id}');
    expect(slice.servers).toEqual([
      expect.objectContaining({ url: 'http://localhost:8080', description: 'Local' }),
      expect.objectContaining({ url: 'https://api.live.example', description: 'Production' }),
    ]);
  });

  test('variables are replaced by their defaults, listed, and can be set', () => {
    const text = readCase(`${addresses}vars.json`);
    const { slice, tool } = describeCall(text, operation);
    expect(slice.url).toBe('https://your-tenant.vars.example:8443/v2/me/{id}');
    expect(tool.request?.url).toBe(slice.url);
    expect(slice.servers).toEqual([
      expect.objectContaining({
        variables: [
          expect.objectContaining({ name: 'tenant', default: 'your-tenant', description: 'Your subdomain' }),
          expect.objectContaining({ name: 'port', default: '8443', enum: ['443', '8443'] }),
          expect.objectContaining({ name: 'base', default: 'v2' }),
        ],
      }),
    ]);
    const settings = { serverVariables: { tenant: 'acme' } };
    expect(describeCall(text, operation, settings).slice.url).toBe('https://acme.vars.example:8443/v2/me/{id}');
  });
});

describe.skipIf(!hasCases)('a credential that is not stored has no value', () => {
  test('the prepared request names it, without a placeholder in its place', () => {
    const call = describeCall(readCase('20-placeholder-credential/openapi.yaml'), 'GET /lighthouses/{id}');
    const request = call.prepare({ id: 'x' });
    expect(request.credentials).toMatchObject([{ scheme: 'key', in: 'header', name: 'X-Coast-Key', stored: false }]);
    expect(headerOf(request, 'X-Coast-Key')).toBeUndefined();
    expect(JSON.stringify({ ...request, curl: null })).not.toMatch(/<credential>/);
    expect(call.slice.authentication).toEqual([[expect.objectContaining({ scheme: 'key', stored: false })]]);
  });
});
