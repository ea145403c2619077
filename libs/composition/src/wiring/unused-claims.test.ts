import { operatorAuthority } from '@portico/domain';
import { recordingStream, temporaryFolder } from '@portico/test-servers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { localAdmin, readConfig } from '../config.ts';
import type { ProcessRole } from '../process-role.ts';
import { createLogger } from '../runtime/logging.ts';
import { compose } from './compose.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

/** Starts and stops a process; `meanwhile` happens in between. Returns what it logged about claims, and the group's members. */
const run = async (variables: Record<string, string>, role: ProcessRole, groups: readonly string[] | null = null) => {
  const { stream, written } = recordingStream();
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
      said: written.filter((line) => line.includes('"level":"warn"') && line.includes('groups of 1 profile is')).length,
    };
  } finally {
    await portico.close();
  }
};

test('a service that looks at no claim any more forgets what tokens said, and says so once', async () => {
  const configured = { IDENTITY_GROUPS_CLAIM: 'groups' };
  const member = { members: [localAdmin.email], said: 0 };
  expect(await run(configured, 'http', ['Crew'])).toEqual(member);
  expect(await run(configured, 'http')).toEqual(member);
  // These may lack the variable, so they decide nothing.
  for (const role of ['worker', 'tool'] as const) expect(await run({}, role)).toEqual(member);
  expect(await run({}, 'http')).toEqual({ members: [], said: 1 });
  expect(await run({}, 'http')).toEqual({ members: [], said: 0 });
});
