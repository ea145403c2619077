import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { root, type ServiceProcess } from '../src/service-process.ts';
import { createInstallation, type Installation } from './installation.ts';

const specs = resolve(root, '../shared/data/specs');
const isPresent = existsSync(specs);
if (!isPresent) process.stderr.write(`Skipped: there are no real documents at ${specs}\n`);

const files = isPresent ? readdirSync(specs).filter((file) => file.endsWith('.json') && file !== 'manifest.json') : [];

interface ImportedDocument {
  readonly file: string;
  readonly id: string;
  readonly outcome: string;
}

const noAuthentication = { type: 'none', name: null };
const bearerAuthentication = { type: 'bearer', name: 'Authorization' };

/** The base URL and the first security requirement of some unusual documents, checked by hand. */
const metadata: Readonly<Record<string, readonly [baseUrl: string, authentication: object]>> = {
  'amentum.space-gravity': ['/', noAuthentication],
  'apache.org-qakka': ['/', noAuthentication],
  'elastic.co': ['/', noAuthentication],
  'ipinfodb.com': ['/', noAuthentication],
  'apisetu.gov.in-issuer': ['Your API URL', noAuthentication],
  'tokenjay.app': ['https://api.tokenjay.app/', noAuthentication],
  'apicurio.local-registry': ['https://MY-REGISTRY-URL/apis/registry/v2', noAuthentication],
  'adyen.com-terminalapi': [
    'https://device-api-test.adyen.com/v1/merchants/{merchantAccount}/devices/{deviceId}/sync',
    { type: 'apiKey', name: 'X-API-Key', in: 'header' },
  ],
  'adyen.com-webhooks': ['/', { type: 'basic', name: 'Authorization' }],
  'camaraproject.org-geofencing-subscriptions': [
    'http://localhost:9091/geofencing-subscriptions/vwip',
    bearerAuthentication,
  ],
  'atlassian.com-jira': ['https://{your-domain}.atlassian.net', bearerAuthentication],
  'stripe.com': ['https://api.stripe.com/', { type: 'basic', name: 'Authorization' }],
  'adafruit.com': ['https://io.adafruit.com/api/v2', { type: 'apiKey', name: 'X-AIO-Key', in: 'header' }],
  'discord.com': ['https://discord.com/api/v10', { type: 'apiKey', name: 'Authorization', in: 'header' }],
  'digitalocean.com': ['https://api.digitalocean.com', bearerAuthentication],
  'squareup.com': ['https://connect.squareup.com', bearerAuthentication],
  'spotify.com': ['https://api.spotify.com/v1', bearerAuthentication],
  'openai.com': ['https://api.openai.com/v1', bearerAuthentication],
  'import.io-rss': ['https://rss.import.io/', noAuthentication],
};

const tokenOf = (caller: Credential): string => (caller && 'token' in caller ? caller.token : '');

describe.skipIf(!isPresent)('about 150 real documents, imported by the operator', () => {
  let installation: Installation;
  let admin: Credential;
  let service: ServiceProcess;
  let documents: readonly ImportedDocument[];
  beforeAll(async () => {
    installation = await createInstallation();
    const { code, stdout, stderr } = await installation.runTool('--json', 'import', specs);
    expect(code, stderr).toBe(0);
    documents = (JSON.parse(stdout) as Record<'taken', ImportedDocument[]>).taken;
    service = await installation.start();
    admin = await installation.createAdminToken();
  });
  afterAll(() => installation.remove());

  test('all are imported', () => {
    expect(documents.map(({ file }) => basename(file)).sort()).toEqual([...files].sort());
    expect(new Set(documents.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
  });

  test('each is returned as the text that was sent', async () => {
    for (const { file, id } of documents) {
      const response = await fetch(`${installation.api.address}/api/collections/${id}`, {
        headers: { authorization: `Bearer ${tokenOf(admin)}` },
      });
      const body = await response.text();
      const text = readFileSync(join(specs, basename(file)), 'utf8')
        .replace(/^\ufeff/, '')
        .trim();
      const start = body.indexOf('"openapi_spec":') + '"openapi_spec":'.length;
      expect(body.slice(start, start + text.length) === text, basename(file)).toBe(true);
      expect(body.slice(start + text.length), basename(file)).toMatch(/^\s*,"created_by":/);
    }
  });

  test('base URL and authentication are derived from each document by the rules', async () => {
    for (const [file, [baseUrl, authentication]] of Object.entries(metadata)) {
      const id = documents.find((line) => basename(line.file) === `${file}.json`)?.id ?? '';
      const body = await installation.api.request<{ base_url: string; authentication: object }>(
        admin,
        'GET',
        `/api/collections/${id}/metadata`,
      );
      expect(body.base_url, file).toBe(baseUrl);
      expect(body.authentication, file).toEqual({ value: null, ...authentication });
    }
  });

  test('the largest one is uploaded within 1 GiB of memory, while other requests succeed', async () => {
    const text = readFileSync(join(specs, 'github.com-ghes.deref.json'), 'utf8');
    const healthStatuses: number[] = [];
    let isUploading = true;
    const polling = (async () => {
      // Pauses between these requests, so that they do not delay the upload past its deadline.
      for (; isUploading; await pause(10))
        healthStatuses.push((await installation.api.call(null, 'GET', '/health')).status);
    })();
    const response = await fetch(`${installation.api.address}/api/collections/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(admin)}`, 'content-type': 'application/json' },
      body: `{"name": "The largest", "openapi_spec": ${text}}`,
    });
    const body = await response.text();
    isUploading = false;
    await polling;
    expect(response.status).toBe(201);
    expect(body.includes(text.trim())).toBe(true);
    expect(healthStatuses.length).toBeGreaterThan(10);
    expect(new Set(healthStatuses)).toEqual(new Set([200]));
    const peakKilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);
    expect(peakKilobytes).toBeLessThan(1_048_576);
  });

  test('importing them again changes nothing', async () => {
    const { stdout } = await installation.runTool('--json', 'import', specs);
    expect(JSON.parse(stdout)).toMatchObject({ created: 0, updated: 0, unchanged: files.length, refused: 0 });
  });

  test('malformed documents are rejected with the line and column of the error', async () => {
    const folder = join(specs, 'malformed');
    const malformedFiles = readdirSync(folder).filter((file) => file.endsWith('.broken'));
    const { code, stdout } = await installation.runTool(
      '--json',
      'import',
      ...malformedFiles.map((file) => join(folder, file)),
    );
    const summary = JSON.parse(stdout) as Record<'taken', unknown[]> & {
      refused_files: { file: string; reason: string }[];
    };
    expect(code).toBe(1);
    expect(summary.taken).toEqual([]);
    expect(summary.refused_files).toHaveLength(malformedFiles.length);
    for (const { file, reason } of summary.refused_files)
      expect(reason, basename(file)).toMatch(/line \d+,? column \d+/);
  });
});
