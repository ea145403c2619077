import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../src/service-process.ts';

const run = promisify(execFile);

test('the demo tells the same story each time, and leaves other data alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'portico.sqlite'), 'not looked at');
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(await freePort()) };
  const tell = async (): Promise<string> => {
    const command = ['-C', '@portico/source', 'tools/src/demo/main.ts', '--exit'];
    const { stdout } = await run(process.execPath, command, { cwd: root, env });
    return stdout
      .replace(/"retry_after":\d+/, '')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/v2/g, '{weather}')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');
  };
  const first = await tell();
  expect(first).toContain('ada@example.com is pending');
  expect(first).toContain('That was the story');
  expect(first).toMatch(/"collect what a shopper owes" +Kestrel Pay Charges\n/);
  expect(first).toMatch(/"do I need an umbrella" +Nimbara Weather\n/);
  expect(first).toMatch(/"weathr forcast" +Nimbara Weather\n/);
  expect(first).toMatch(
    /search_operations "will it rain tomorrow" .*\n +0\.\d\d GET \/forecast\/hourly of Nimbara Weather\n/,
  );
  expect(first).toContain("curl '{weather}/forecast/hourly?lat=LAT&lon=LON&app_key=API_KEY'");
  expect(first).toMatch(/GET \/forecast\/hourly {2}of the API itself +200 /);
  expect(first).toContain('No operation that you may use fits.');
  const team = first.split('\n').slice(first.split('\n').findIndex((text) => text.startsWith('9. ')));
  const told = team.slice(0, team.indexOf(''));
  expect(told.join('\n')).toMatch(
    /8 collections for the group, until 2099-12-31\n[^]*approved:[^]*gets 401[^]*87 rows/,
  );
  expect(told.join('\n')).toMatch(/bea@example\.com 1 read\n +cyd@example\.com 1 read$/);
  expect(told.length).toBeLessThanOrEqual(24);
  expect(Math.max(...told.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(await tell()).toBe(first);
});

test('two of the searches of the demo share no word with what they find', () => {
  const said = (sample: string): readonly string[] => {
    const { info } = parse(readFileSync(join(root, 'samples', sample), 'utf8')) as {
      readonly info: { readonly title: string; readonly description: string };
    };
    return `${info.title} ${info.description}`.toLowerCase().match(/[a-z]+/g) ?? [];
  };
  const shared = (query: string, sample: string) => query.split(' ').filter((word) => said(sample).includes(word));
  expect(shared('collect what a shopper owes', 'card-payments.yaml')).toEqual(['a']);
  expect(shared('do i need an umbrella', 'weather-forecast.yaml')).toEqual([]);
});
