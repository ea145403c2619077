import { beforeAll, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);
let admin: Credential;
beforeAll(async () => {
  await installation.compose();
  admin = await installation.createAdminToken();
});

/** Posts a body of exactly this many bytes: `head`, padding, `tail`. */
const post = async (path: string, head: string, tail: string, bytes: number): Promise<number> => {
  const body = head + 'x'.repeat(bytes - head.length - tail.length) + tail;
  const token = admin && 'token' in admin ? admin.token : '';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${installation.api.address}${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status === 413) expect(text).toMatch(/^\{"detail":"Request body too large/);
  return response.status;
};

test('a body of 256 KiB is accepted, and one byte more is rejected', async () => {
  const message = ['{"message": {"note": "', '"}}'] as const;
  expect(await post('/api/audit/', ...message, 262_144)).toBe(201);
  expect(await post('/api/audit/', ...message, 262_145)).toBe(413);
});

test('a body of 32 MiB with a document is accepted, and one byte more is rejected', async () => {
  const document = [
    '{"name": "n", "openapi_spec": {"openapi": "3.0.3", "info": {"title": "t", "version": "1", "description": "',
    '"}, "paths": {}}}',
  ] as const;
  expect(await post('/api/collections/', ...document, 33_554_432)).toBe(201);
  expect(await post('/api/collections/', ...document, 33_554_433)).toBe(413);
});
