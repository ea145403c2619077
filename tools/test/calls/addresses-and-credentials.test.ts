import { describe, expect, test } from 'vitest';
import { createDocument, describeCall, headerOf } from './described-call.ts';

describe('the address of an operation', () => {
  test('has the variables of the servers of its path', () => {
    const pathItem = {
      servers: [
        {
          url: 'https://{region}.things.example/{stage}/',
          description: 'By region',
          variables: { region: { default: 'eu', enum: ['eu', 'us'], description: 'Where' }, stage: { default: 'v2' } },
        },
      ],
    };
    const document = createDocument({}, { method: 'get', pathItem });
    const call = describeCall(document, 'GET /things');
    expect(call.slice.url).toBe('https://eu.things.example/v2/things');
    expect(call.tool.request?.url).toBe(call.slice.url);
    expect(call.curl.url).toBe(call.slice.url);
    expect(call.prepare({}).url).toBe(call.slice.url);
    expect(call.slice.servers).toEqual([
      expect.objectContaining({
        description: 'By region',
        variables: [
          expect.objectContaining({
            name: 'region',
            value: 'eu',
            default: 'eu',
            enum: ['eu', 'us'],
            description: 'Where',
          }),
          expect.objectContaining({ name: 'stage', value: 'v2', default: 'v2' }),
        ],
      }),
    ]);
    const settings = { baseUrl: 'https://own.example', serverVariables: { region: 'us' } };
    // The base URL stands for the servers of the document, not for those of a path.
    expect(describeCall(document, 'GET /things', settings).slice.url).toBe('https://us.things.example/v2/things');
  });

  test.for([
    ['https://user:secret@things.example/v1', '/a', 'https://things.example/v1/a'],
    ['https://things.example/v1?tenant=7', '/a?b=1', 'https://things.example/v1/a?tenant=7&b=1'],
    ['https://things.example/v1#old', '/a#now', 'https://things.example/v1/a'],
    ['https://things.example//', '/a/', 'https://things.example/a/'],
    ['//things.example', '/a', 'https://things.example/a'],
    ['', '/a', '/a'],
  ] as const)('of the server %s and the path %s is %s', ([url, path, expected]) => {
    const document = createDocument({}, { method: 'get', path, servers: [{ url }] });
    const call = describeCall(document, `GET ${path}`);
    expect(call.slice.url).toBe(expected);
    expect(call.tool.request?.url).toBe(expected);
    expect(call.curl.url.endsWith(expected)).toBe(true);
    for (const text of [call.texts.slice, call.texts.tool]) expect(text).not.toContain('secret');
  });

  test('has the values of its path, in any style', () => {
    const parameter = (name: string, style: string, explode = false) => ({
      name,
      in: 'path',
      required: true,
      style,
      explode,
      schema: { type: 'array', items: { type: 'string' } },
    });
    const parameters = [
      parameter('a', 'simple'),
      parameter('b', 'label', true),
      parameter('c', 'matrix'),
      parameter('d', 'matrix', true),
    ];
    const document = createDocument({ parameters }, { method: 'get', path: '/{a}/{b}/{c}/{d}' });
    const values = ['x/y', 'z'];
    const request = describeCall(document, 'GET /{a}/{b}/{c}/{d}').prepare({
      a: values,
      b: values,
      c: values,
      d: values,
    });
    expect(request.url).toBe('https://things.example/v1/x%2Fy,z/.x%2Fy.z/;c=x%2Fy,z/;d=x%2Fy;d=z');
  });

  test('has an argument for a placeholder without a parameter', () => {
    const call = describeCall(createDocument({}, { method: 'get', path: '/{oops}.json' }), 'GET /{oops}.json');
    expect(call.acceptsArguments({})).toBe(false);
    expect(call.prepare({ oops: 'ä' }).url).toBe('https://things.example/v1/%C3%A4.json');
  });
});

describe('the credentials of an operation', () => {
  const flow = {
    tokenUrl: 'https://id.example/token',
    authorizationUrl: 'https://id.example/authorize',
    scopes: { read: '', write: '' },
  };
  const components = {
    securitySchemes: {
      login: { type: 'oauth2', flows: { authorizationCode: flow } },
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      query: { type: 'apiKey', in: 'query', name: 'api key' },
      client: { type: 'mutualTLS' },
      odd: { type: 'http', scheme: 'Token' },
    },
  };
  const documentWith = (security: object | undefined) =>
    createDocument({ ...(security && { security }) }, { method: 'get', components });

  test('have the scopes and the token URL of their flow', () => {
    const call = describeCall(documentWith([{ login: ['write'] }]), 'GET /things');
    expect(call.slice.authentication).toEqual([
      [
        expect.objectContaining({
          scheme: 'login',
          type: 'oauth2',
          in: 'header',
          name: 'Authorization',
          scopes: ['write'],
          token_url: flow.tokenUrl,
        }),
      ],
    ]);
    expect(headerOf(call.curl, 'Authorization')).toMatch(/^Bearer /);
  });

  test('go together if one requirement names them, in a cookie and a query too', () => {
    const call = describeCall(documentWith([{ cookie: [], query: [] }, { oidc: ['read'] }]), 'GET /things');
    expect(call.slice.authentication).toEqual([
      [
        expect.objectContaining({ scheme: 'cookie', in: 'cookie', name: 'session' }),
        expect.objectContaining({ scheme: 'query', in: 'query', name: 'api key' }),
      ],
      [expect.objectContaining({ scheme: 'oidc', type: 'openIdConnect', scopes: ['read'] })],
    ]);
    expect(headerOf(call.curl, 'Cookie')).toMatch(/^session=/);
    expect(call.curl.url).toMatch(/\?api(%20|\+)key=/);
    const { credentials } = call.prepare({});
    expect(credentials.map(({ scheme }) => scheme)).toEqual(['cookie', 'query']);
  });

  test('are null if the document says nothing, and empty if it says that none is needed', () => {
    expect(describeCall(documentWith(undefined), 'GET /things').slice.authentication).toBeNull();
    expect(describeCall(documentWith([]), 'GET /things').slice.authentication).toEqual([]);
  });

  test('of an unusual or undeclared scheme are named', () => {
    const { slice } = describeCall(documentWith([{ client: [] }, { odd: [] }, { missing: [] }]), 'GET /things');
    expect(slice.authentication).toEqual([
      [expect.objectContaining({ scheme: 'client', type: 'mutualTLS' })],
      [expect.objectContaining({ scheme: 'odd', type: 'http' })],
      [expect.objectContaining({ scheme: 'missing' })],
    ]);
    expect(JSON.stringify(slice.authentication)).not.toContain('"none"');
  });

  test('do not hide a parameter of the same name that another scheme would fill in', () => {
    const parameters = [{ name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } }];
    const call = describeCall(
      createDocument({ parameters, security: [{ query: [] }] }, { method: 'get', components }),
      'GET /things',
    );
    expect(call.acceptsArguments({})).toBe(false);
    expect(headerOf(call.prepare({ Authorization: 'Custom 1' }), 'Authorization')).toBe('Custom 1');
  });
});

describe('parts of an operation in other files', () => {
  test('are listed, and the description says it', () => {
    const operation = { parameters: [{ $ref: 'parameters.yaml#/page' }], requestBody: { $ref: 'bodies.yaml#/thing' } };
    const { slice, tool } = describeCall(createDocument(operation), 'POST /things');
    const pointers = slice.truncated.filter(({ reason }) => reason === 'external').map(({ pointer }) => pointer);
    expect(pointers.some((pointer) => pointer.startsWith('/parameters'))).toBe(true);
    expect(pointers.some((pointer) => pointer.startsWith('/request_body'))).toBe(true);
    expect(tool.description).toMatch(/\bfiles?\b/);
  });

  test('are listed for a schema and for a whole operation', () => {
    const requestBody = {
      content: { 'application/json': { schema: { properties: { a: { $ref: 'schemas.yaml#/a' } } } } },
    };
    const inSchema = describeCall(createDocument({ requestBody }), 'POST /things').slice;
    expect(inSchema.truncated).toEqual([
      { pointer: expect.stringMatching(/^\/request_body\/schema\/properties\/a/) as string, reason: 'external' },
    ]);
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: { '/things': { get: { $ref: 'get.yaml' } } },
    };
    expect(describeCall(document, 'GET /things').slice.truncated).toEqual([
      expect.objectContaining({ reason: 'external' }),
    ]);
  });
});
