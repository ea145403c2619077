import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { addClient, register } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';

// Other tests compose the service in their own process. These cover the separate process; see also
// crash.servers.test.ts.

const installation = provideInstallation(beforeEach);

test('acknowledged audit entries survive a crash', async () => {
  const { api, start } = installation;
  const service = await start();
  const admin = await installation.createAdminToken();
  await register(api, 'ada');
  const ada = await installation.createToken('ada');
  let acknowledgedCount = 0;
  let isAlive = true;
  const writers = Array.from({ length: 8 }, async () => {
    while (isAlive) {
      try {
        await api.request(ada, 'POST', '/api/audit/', { message: { action: 'api_call' } });
        acknowledgedCount++;
      } catch {
        return;
      }
    }
  });
  await expect.poll(() => acknowledgedCount).toBeGreaterThanOrEqual(40);
  await service.kill();
  isAlive = false;
  await Promise.all(writers);
  await start();
  const { total } = await api.request<{ total: number }>(admin, 'GET', '/api/audit/?pageSize=1');
  expect(total).toBeGreaterThanOrEqual(acknowledgedCount);
});

test('the counters of the limiter survive a graceful restart', async () => {
  const { api, start } = installation;
  const service = await start();
  const admin = await installation.createAdminToken();
  const { key } = await addClient(api, admin, 'bob');
  const override = { client_id: key.clientId, allowed_limit: 3, window_seconds: 600 };
  await api.request(admin, 'POST', '/api/rate-limits/overrides', override);
  const bob = await installation.createToken('bob');
  for (let attempt = 0; attempt < 3; attempt++)
    expect((await api.call(bob, 'GET', '/api/profiles/me')).status).toBe(200);
  expect((await api.call(bob, 'GET', '/api/profiles/me')).status).toBe(429);
  await service.stop();
  expect(await service.exitCode).toBe(0);
  await start();
  expect((await api.call(bob, 'GET', '/api/profiles/me')).status).toBe(429);
});

test('a service warns at startup if its folder and keys are open to others', async () => {
  const { folder, start, runTool } = installation;
  await runTool('people', 'list', '--admins');
  chmodSync(folder, 0o777);
  chmodSync(join(folder, 'secrets.key'), 0o644);
  await start();
  const warnings = readFileSync(join(folder, 'service.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .flatMap(({ level, msg }) => (level === 'warn' ? [msg] : []));
  expect(warnings).toEqual([
    `DATA_DIR: other users can write to ${folder} (mode 0777), and so can replace its keys. Run: chmod 700 ${folder}`,
    `${folder}/secrets.key is accessible to other users (mode 0644); only its owner should be able to read it. Run: chmod 600 ${folder}/secrets.key`,
  ]);
});
