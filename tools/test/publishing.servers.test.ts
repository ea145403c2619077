import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

const run = promisify(execFile);
const installation = await createInstallation();
afterAll(() => installation.remove());

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly jobs: {
    readonly publish: { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] };
  };
}

const page = readFileSync(join(root, 'docs/publishing.md'), 'utf8');
const workflow = [...page.matchAll(/```yaml\n(.*?)```/gs)]
  .map(([, text = '']) => text)
  .find((text) => text.includes('jobs:'));
const { env, steps } = (parse(workflow ?? '') as Workflow).jobs.publish;
const repository = join(installation.folder, 'repository');

/**
 * Runs the steps of the example for an event, with this checkout's tool instead of the one that the example fetches.
 */
const runSteps = async (event: 'push' | 'pull_request', token: string): Promise<{ code: number; output: string }> => {
  let output = '';
  for (const step of steps.filter(({ if: condition = '' }) => !condition || condition.includes(`== '${event}'`))) {
    if (!step.run || step.name === 'Install the tool') continue;
    expect(Object.keys(step.env ?? {})).toEqual(['PORTICO_TOKEN']);
    const variables = {
      ...{ PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, GITHUB_REPOSITORY: 'acme/apis' },
      ...{ ...env, PORTICO_SERVER: installation.api.address, PORTICO_TOKEN: token },
    };
    try {
      output += (await run('bash', ['-e', '-c', step.run], { cwd: repository, env: variables })).stdout;
    } catch (error) {
      const { code, stdout } = error as { code: unknown; stdout: string };
      if (typeof code !== 'number') throw error;
      return { code, output: output + stdout };
    }
  }
  return { code: 0, output };
};

/** Creates a service account with the scope that the page gives for this variable, and returns the account's token. */
const tokenOf = async (variable: string): Promise<string> => {
  const scope = new RegExp(`\`${variable}\` with \`([a-z:]+)\``).exec(page)?.[1] ?? '';
  return (await installation.runTool('accounts', 'add', variable, '--scope', scope)).stdout.trim();
};

test('the example plans on a pull request, publishes on a push, and fails for a broken document', async () => {
  await installation.compose();
  const { token } = (await installation.createAdminToken()) as { token: string };
  const [planToken, publishToken] = [await tokenOf('PORTICO_PLAN_TOKEN'), await tokenOf('PORTICO_TOKEN')];
  mkdirSync(join(repository, 'apis'), { recursive: true });
  symlinkSync(root, join(repository, '.portico'));
  const document = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };
  writeFileSync(join(repository, 'apis', 'weather.json'), JSON.stringify(document));
  const plannedRun = await runSteps('pull_request', planToken);
  expect([plannedRun.code, plannedRun.output]).toEqual([
    0,
    expect.stringContaining('nothing was written. The result would be 1 created'),
  ]);
  expect(await runSteps('push', publishToken)).toEqual({
    code: 0,
    output: expect.stringContaining('1 created') as string,
  });
  const names = await installation.api.request<{ name: string }[]>({ token }, 'GET', '/api/collections/');
  expect(names.map(({ name }) => name)).toEqual(['Weather']);
  writeFileSync(join(repository, 'apis', 'broken.json'), '{"openapi": ');
  for (const [event, eventToken] of [
    ['pull_request', planToken],
    ['push', publishToken],
  ] as const) {
    expect(await runSteps(event, eventToken)).toEqual({
      code: 1,
      output: expect.stringContaining('1 refused.') as string,
    });
  }
});

test('the example leaves the repository and ref to the reader, and installs the tool as the image does', () => {
  const checkout = steps.find((step) => step.with?.['path'] === '.portico')?.with;
  for (const placeholder of [checkout?.['repository'], checkout?.['ref']]) {
    expect(placeholder).toMatch(/^YOUR-/);
    expect(page).toContain(`\`${String(placeholder)}\``);
  }
  expect(page).not.toMatch(/portico:[\d.]+/);
  const installCommand = steps.find(({ name }) => name === 'Install the tool')?.run ?? '';
  const imageCommand = /RUN (npm ci .*)/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  expect(imageCommand.startsWith(installCommand.replace(/ --workspace .*/, ''))).toBe(true);
  expect(imageCommand).toContain('--workspace apps/cli');
});
