import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTemporaryFolder } from '@portico/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { startComposed } from '../start-composed.ts';
import { exemptions, revisions } from './conformance-exemptions.ts';
import { createKeyProxy, runConformanceSuite } from './conformance-run.ts';

const { subject, fixtures } = provideSubject(startComposed(), {
  settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
});
let proxy: Server;

beforeAll(async () => {
  const client = await fixtures.newClient();
  await fixtures.grant(client, await fixtures.newCollection());
  proxy = createKeyProxy(subject.client.baseUrl, `${client.key.clientId}.${client.key.secret}`).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(() => {
  proxy.close();
  proxy.closeAllConnections();
});

test.each(revisions)(
  'of the official conformance suite for %s, exactly the checks that do not apply fail',
  async (revision) => {
    const { port } = proxy.address() as AddressInfo;
    const folder = createTemporaryFolder(onTestFinished);
    const failedChecks = await runConformanceSuite(`http://127.0.0.1:${port}/mcp`, revision, folder);
    const expectedChecks = exemptions
      .filter((exemption) => exemption.revisions.includes(revision))
      .flatMap(({ checks }) => checks);
    expect([...failedChecks].sort()).toEqual([...expectedChecks].sort());
  },
);
