import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { root, type ServiceProcess } from '../src/service-process.ts';
import { createInstallation, type Installation } from './installation.ts';

const specs = resolve(root, '../shared/data/specs');
const present = existsSync(specs);
if (!present) process.stderr.write(`Skipped: there are no real documents at ${specs}\n`);

const files = present ? readdirSync(specs).filter((file) => file.endsWith('.json') && file !== 'manifest.json') : [];

interface Taken {
  readonly file: string;
  readonly id: string;
  readonly outcome: string;
}

const none = { type: 'none', name: null };
const bearer = { type: 'bearer', name: 'Authorization' };

/** Checked by hand: the base address and the first security requirement of some odd documents. */
const metadata: Readonly<Record<string, readonly [baseUrl: string, authentication: object]>> = {
  'amentum.space-gravity': ['/', none],
  'apache.org-qakka': ['/', none],
  'elastic.co': ['/', none],
  'ipinfodb.com': ['/', none],
  'apisetu.gov.in-issuer': ['Your API URL', none],
  'tokenjay.app': ['https://api.tokenjay.app/', none],
  'apicurio.local-registry': ['https://MY-REGISTRY-URL/apis/registry/v2', none],
  'adyen.com-terminalapi': [
    'https://device-api-test.adyen.com/v1/merchants/{merchantAccount}/devices/{deviceId}/sync',
    { type: 'apiKey', name: 'X-API-Key', in: 'header' },
  ],
  'adyen.com-webhooks': ['/', { type: 'basic', name: 'Authorization' }],
  'camaraproject.org-geofencing-subscriptions': ['http://localhost:9091/geofencing-subscriptions/vwip', bearer],
  'atlassian.com-jira': ['https://{your-domain}.atlassian.net', bearer],
  'stripe.com': ['https://api.stripe.com/', { type: 'basic', name: 'Authorization' }],
  'adafruit.com': ['https://io.adafruit.com/api/v2', { type: 'apiKey', name: 'X-AIO-Key', in: 'header' }],
  'discord.com': ['https://discord.com/api/v10', { type: 'apiKey', name: 'Authorization', in: 'header' }],
  'digitalocean.com': ['https://api.digitalocean.com', bearer],
  'squareup.com': ['https://connect.squareup.com', bearer],
  'spotify.com': ['https://api.spotify.com/v1', bearer],
  'openai.com': ['https://api.openai.com/v1', bearer],
  'import.io-rss': ['https://rss.import.io/', none],
};

const tokenOf = (caller: Credential): string => (caller && 'token' in caller ? caller.token : '');

describe.skipIf(!present)('some hundred and fifty real documents, imported by the operator', () => {
  let installation: Installation;
  let admin: Credential;
  let service: ServiceProcess;
  let taken: readonly Taken[];
  beforeAll(async () => {
    installation = await createInstallation();
    const { code, stdout, stderr } = await installation.tool('--json', 'import', specs);
    expect(code, stderr).toBe(0);
    taken = (JSON.parse(stdout) as { taken: Taken[] }).taken;
    service = await installation.start();
    admin = await installation.admin();
  });
  afterAll(() => installation.remove());

  test('every one is taken', () => {
    expect(taken.map(({ file }) => basename(file)).sort()).toEqual([...files].sort());
    expect(new Set(taken.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
  });

  test('every one comes back as the text that was sent', async () => {
    for (const { file, id } of taken) {
      const response = await fetch(`${installation.api.address}/api/collections/${id}`, {
        headers: { authorization: `Bearer ${tokenOf(admin)}` },
      });
      const answer = await response.text();
      const text = readFileSync(join(specs, basename(file)), 'utf8')
        .replace(/^\ufeff/, '')
        .trim();
      const start = answer.indexOf('"openapi_spec":') + '"openapi_spec":'.length;
      expect(answer.slice(start, start + text.length) === text, basename(file)).toBe(true);
      expect(answer.slice(start + text.length), basename(file)).toMatch(/^\s*,"created_by":/);
    }
  });

  test('base address and authentication are derived from each document by the rules', async () => {
    for (const [file, [baseUrl, authentication]] of Object.entries(metadata)) {
      const id = taken.find((line) => basename(line.file) === `${file}.json`)?.id ?? '';
      const answer = await installation.api.ask<{ base_url: string; authentication: object }>(
        admin,
        'GET',
        `/api/collections/${id}/metadata`,
      );
      expect(answer.base_url, file).toBe(baseUrl);
      expect(answer.authentication, file).toEqual({ value: null, ...authentication });
    }
  });

  test('the largest one is uploaded within 1 GiB of memory, while other requests are answered', async () => {
    const text = readFileSync(join(specs, 'github.com-ghes.deref.json'), 'utf8');
    const others: number[] = [];
    let uploading = true;
    const asking = (async () => {
      // With pauses, so that these requests do not push the upload past its deadline.
      for (; uploading; await pause(10)) others.push((await installation.api.call(null, 'GET', '/health')).status);
    })();
    const response = await fetch(`${installation.api.address}/api/collections/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(admin)}`, 'content-type': 'application/json' },
      body: `{"name": "The largest", "openapi_spec": ${text}}`,
    });
    const answer = await response.text();
    uploading = false;
    await asking;
    expect(response.status).toBe(201);
    expect(answer.includes(text.trim())).toBe(true);
    expect(others.length).toBeGreaterThan(10);
    expect(new Set(others)).toEqual(new Set([200]));
    const peakKilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);
    expect(peakKilobytes).toBeLessThan(1_048_576);
  });

  test('importing them again changes nothing', async () => {
    const { stdout } = await installation.tool('--json', 'import', specs);
    expect(JSON.parse(stdout)).toMatchObject({ created: 0, updated: 0, unchanged: files.length, refused: 0 });
  });

  test('malformed ones are refused with the line and column of the fault', async () => {
    const folder = join(specs, 'malformed');
    const malformed = readdirSync(folder).filter((file) => file.endsWith('.broken'));
    const { code, stdout } = await installation.tool(
      '--json',
      'import',
      ...malformed.map((file) => join(folder, file)),
    );
    const summary = JSON.parse(stdout) as { taken: unknown[]; refused_files: { file: string; reason: string }[] };
    expect(code).toBe(1);
    expect(summary.taken).toEqual([]);
    expect(summary.refused_files).toHaveLength(malformed.length);
    for (const { file, reason } of summary.refused_files)
      expect(reason, basename(file)).toMatch(/line \d+,? column \d+/);
  });
});
