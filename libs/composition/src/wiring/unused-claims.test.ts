import { operatorAuthority } from '@portico/domain';
import { createRecordingStream, createTemporaryFolder } from '@portico/test-servers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { localAdmin, readConfig } from '../config.ts';
import type { ProcessRole } from '../process-role.ts';
import { createLogger } from '../runtime/logging.ts';
import { compose } from './compose.ts';

let folder: string;
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
});

/** Starts and stops a process; returns the number of its warnings about claims, and the group's members. */
const run = async (variables: Record<string, string>, role: ProcessRole, groups: readonly string[] | null = null) => {
  const { stream, chunks: lines } = createRecordingStream();
  const config = readConfig({ DATA_DIR: folder, ...variables });
  const portico = await compose(config, createLogger('info', 'test', stream), role);
  const { useCases, localIssuer } = portico;
  try {
    if (groups && localIssuer) {
      await useCases.createGroup(operatorAuthority, { name: 'Crew', description: '', tier: null });
      const token = await localIssuer.mint({ ...localAdmin, groups, ttlSeconds: 60 });
      await useCases.admit({
        credential: { kind: 'token', token },
        auth: 'token',
        target: null,
        sender: { address: '192.0.2.1' },
        deadline: null,
      });
    }
    const id = await useCases.findGroup(operatorAuthority, 'Crew');
    const members = (await useCases.listMembers(operatorAuthority, id)).map(({ email }) => email);
    return {
      members,
      warnings: lines.filter((line) => line.includes('"level":"warn"') && line.includes('groups of 1 profile were'))
        .length,
    };
  } finally {
    await portico.close();
  }
};

test('a service that no longer reads a claim removes the claimed groups, and logs this once', async () => {
  const configuredVariables = { IDENTITY_GROUPS_CLAIM: 'groups' };
  const member = { members: [localAdmin.email], warnings: 0 };
  expect(await run(configuredVariables, 'http', ['Crew'])).toEqual(member);
  expect(await run(configuredVariables, 'http')).toEqual(member);
  // These roles may lack the variable, so they clear nothing.
  for (const role of ['worker', 'tool'] as const) expect(await run({}, role)).toEqual(member);
  expect(await run({}, 'http')).toEqual({ members: [], warnings: 1 });
  expect(await run({}, 'http')).toEqual({ members: [], warnings: 0 });
});
