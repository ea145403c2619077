import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../src/api-client.ts';
import { root } from '../src/service-process.ts';
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

describe.skipIf(!present)('some hundred and fifty real documents, imported by the operator', () => {
  let installation: Installation;
  let admin: Caller;
  let taken: readonly Taken[];
  beforeAll(async () => {
    installation = await createInstallation();
    const { code, stdout, stderr } = await installation.tool('--json', 'import', specs);
    expect(code, stderr).toBe(0);
    taken = (JSON.parse(stdout) as { taken: Taken[] }).taken;
    await installation.start();
    admin = await installation.admin();
  }, 300_000);
  afterAll(() => installation.remove());

  test('every one is taken', () => {
    expect(taken.map(({ file }) => basename(file)).sort()).toEqual([...files].sort());
    expect(new Set(taken.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
  });

  test('every one comes back as the text that went in', async () => {
    for (const { file, id } of taken) {
      const response = await fetch(`${installation.api.address}/api/collections/${id}`, {
        headers: { authorization: `Bearer ${admin && 'token' in admin ? admin.token : ''}` },
      });
      const answer = await response.text();
      const text = readFileSync(join(specs, basename(file)), 'utf8')
        .replace(/^\ufeff/, '')
        .trim();
      const start = answer.indexOf('"openapi_spec":') + '"openapi_spec":'.length;
      expect(answer.slice(start, start + text.length) === text, basename(file)).toBe(true);
      expect(answer.slice(start + text.length), basename(file)).toMatch(/^\s*,"created_by":/);
    }
  }, 300_000);

  test('importing them again changes nothing', async () => {
    const { stdout } = await installation.tool('--json', 'import', specs);
    expect(JSON.parse(stdout)).toMatchObject({ created: 0, updated: 0, unchanged: files.length, refused: 0 });
  }, 300_000);

  test('the malformed ones are refused with the place of the fault', async () => {
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
