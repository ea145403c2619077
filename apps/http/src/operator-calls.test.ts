import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getActiveResourcesInfo } from 'node:process';
import { operatorCredential, type Credential } from '@portico/domain';
import { createHarness } from '@portico/testing';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import * as entryPoint from './index.ts';
import { createHttpApp } from './http-app.ts';
import { createHttpServer } from './http-server.ts';
import { createOperatorCalls, type OperatorCall } from './operator-calls.ts';
import { credentialOf } from './requests/credential.ts';

const setUp = async () => {
  const { useCases, documents } = createHarness({ defaultLimit: { allowed: 1, windowSeconds: 60 } });
  const limits = { bodyLimitBytes: 10_000, specBodyLimitBytes: 10_000 };
  const addresses = { host: '127.0.0.1', trustProxy: null, publicUrl: null, accessTokens: null, signInWays: [] };
  const settings = { serviceName: 'portico', version: '0', calls: 'off', ...limits, ...addresses } as const;
  const facts = { useCases, documents, settings, logger: pino({ level: 'silent' }) };
  const calls = createOperatorCalls(facts);
  const call = async (method: OperatorCall['method'], path: string, body?: object) => {
    const response = await calls({ method, path, body: body && JSON.stringify(body) });
    return { ...response, body: JSON.parse(response.text) as unknown };
  };
  const ada = await useCases.registerProfile(
    { uid: 'ada', email: 'ada@example.com', fullName: 'Ada', companyName: null },
    null,
    null,
  );
  return { facts, call, ada };
};

test('the operator has the rights of an admin, without an actor in the audit log and without rate limits', async () => {
  const { call, ada } = await setUp();
  for (const path of ['/api/profiles/', '/api/collections/?limit=10', '/api/usage', '/api/access/requests'])
    expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
  const approvalReply = await call('POST', '/api/profiles/approve', { profiles: ['ada@example.com'] });
  expect(approvalReply).toMatchObject({ status: 200, body: { approved: 1 } });
  // Only a person who is an admin is allowed to do this.
  expect((await call('PUT', `/api/profiles/${ada.id}/role`, { role: 'admin' })).status).toBe(200);
  expect((await call('PUT', '/api/profiles/nobody@example.com/tier', { tier: null })).body).toEqual({
    detail: 'User not found',
  });
  const { body } = await call('GET', '/api/audit/?source=system&include=names');
  const { data } = body as { data: { message: Record<string, unknown>; actor: string | null }[] };
  const done = data.filter(({ message }) => /approve|role/.test(String(message['action'])));
  expect(done.length).toBeGreaterThan(1);
  for (const { message, actor } of done) expect([message['actor'] ?? null, actor]).toEqual([null, null]);
});

test('a list includes the latest change, and responses of any size arrive complete', async () => {
  const { call } = await setUp();
  for (let index = 0; index < 20; index++) {
    const description = `${index} `.repeat(200).trim();
    expect((await call('POST', '/api/groups', { name: `Group ${index}`, description })).status).toBe(201);
    expect((await call('GET', '/api/groups')).body).toHaveLength(index + 1);
  }
});

test('no server socket is opened', async () => {
  const { call } = await setUp();
  await call('GET', '/api/profiles/');
  expect(getActiveResourcesInfo().filter((kind) => /Server/.test(kind))).toEqual([]);
});

test('the operator cannot read individual collections', async () => {
  const { call } = await setUp();
  const id = '0b7f9d0e-1c2d-4e3f-8a4b-5c6d7e8f9a0b';
  expect((await call('GET', `/api/collections/${id}/metadata`)).status).toBe(404);
});

test("no header can create the operator's credential", () => {
  // @ts-expect-error Only the domain creates it.
  const forgedCredential: Credential = { kind: 'operator' };
  expect(forgedCredential).toEqual(operatorCredential);
  const name = fc.constantFrom('Authorization', 'X-API-Key', 'X-Client-ID', 'X-Operator', 'Host');
  const value = fc.oneof(
    fc.constantFrom(
      'operator',
      'Bearer operator',
      JSON.stringify(operatorCredential),
      '00000000-0000-0000-0000-000000000000',
    ),
    fc.string(),
    fc.string().map((text) => `Bearer ${text}`),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 3 }), (headers) => {
      expect(credentialOf(headers.flat()).kind).not.toBe('operator');
    }),
  );
});

test('an ordinary service has no operator, and the package does not export an application that has one', async () => {
  const { facts } = await setUp();
  const server = createHttpServer(createHttpApp(facts));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/profiles/`;
  for (const headers of [
    {},
    { authorization: 'Bearer operator' },
    { authorization: `Bearer ${JSON.stringify(operatorCredential)}` },
    { 'x-api-key': 'operator', 'x-client-id': '00000000-0000-0000-0000-000000000000' },
  ])
    expect([headers, (await fetch(address, { headers })).status]).toEqual([headers, 401]);
  expect(Object.keys(entryPoint)).not.toContain('createAppFor');
});
