import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readPages } from '../src/documents/markdown.ts';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = readPages().filter(({ path }) => !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md');
const installation = await createInstallation({ CALLS: 'on' });
afterAll(() => installation.remove());

/** Returns the tool's commands that a page contains: `portico jobs list …` in a code block or between backticks. */
const commandsOf = (text: string): readonly string[] => {
  const matches = text.matchAll(
    /(?:exec (?:-T )?http portico|run -s portico --|`portico|^portico) ((?:[a-z][a-z-]* ?)+)/gm,
  );
  return [...new Set([...matches].map(([, words = '']) => words.trim()))];
};

const commands = [...new Set(pages.flatMap(({ text }) => commandsOf(text)))];

test('every CLI command in the documentation exists', async () => {
  expect(commands).toEqual(expect.arrayContaining(['access grant', 'doctor', 'keys reseal', 'jobs list']));
  // The commands run one after another: about twenty concurrent processes would starve the tests that run in parallel.
  for (const command of commands) {
    const { code, stdout } = await installation.runTool(...command.split(' '), '--help');
    const [, path = '', synopsis = ''] = /^Usage: portico ((?:[a-z][a-z-]* )*)(.*)$/m.exec(stdout) ?? [];
    // Words after a command that has no subcommands are its arguments.
    const isKnown = `${command} `.startsWith(path) && path !== '' && !synopsis.includes('[command]');
    expect({ command, code, isKnown }).toEqual({ command, code: 0, isKnown: true });
  }
});

test('every Compose service in the documentation exists', () => {
  const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as { readonly services: object };
  const text = pages.map((page) => page.text).join('\n');
  const lines = text.matchAll(
    /docker compose (?:--profile \w+ )?(exec|run|restart|stop|logs|ps)((?: -[\w-]+(?: tar| sh)?)*)((?: [a-z]+)+)/g,
  );
  for (const [, verb = '', , words = ''] of lines) {
    const names = words.trim().split(' ');
    for (const name of verb === 'exec' || verb === 'run' ? names.slice(0, 1) : names) {
      expect(Object.keys(services), `${verb} ${name}`).toContain(name);
    }
  }
});

test('the manual explains every metric of the service, and no other', async () => {
  const { address } = await installation.compose();
  // The request metric appears with the first request.
  await fetch(`${address}/health`);
  const text = await (await fetch(`${address}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  const ownNames = names.filter((name) => !/^(process|nodejs)_/.test(name));
  const page = textOf('docs/operations/monitoring.md');
  const table = page.slice(page.indexOf('| metric'));
  const explainedNames = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
  expect(explainedNames.toSorted()).toEqual(ownNames.toSorted());
});
