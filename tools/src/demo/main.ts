import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedFiles, localAdmin, openLocalIssuer, readConfig, type Environment } from '@portico/composition';
import { createApiClient } from '../api-client.ts';
import { startService } from '../service-process.ts';
import { tellStory } from './story.ts';

/** `npm run demo`: the service on its embedded default, and a first day with it, told through the real HTTP API. */
const { values } = parseArgs({
  options: { exit: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

/** Its own folder, in which it is always the first day, and none of your servers. */
const demoEnvironment = (environment: Environment): Environment => {
  const servers = ['DATABASE_URL', 'REDIS_URL', 'QDRANT_URL', 'QDRANT_API_KEY', 'OLLAMA_URL', 'SMTP_URL'];
  const others = Object.entries(environment).filter(([name]) => !servers.includes(name.replace(/_FILE$/, '')));
  return { ...Object.fromEntries(others), DATA_DIR: join(readConfig(environment).dataDir, 'demo') };
};

/** Removes what an earlier demo has left, unless that still runs. */
const beginAnew = async (environment: Environment): Promise<void> => {
  const config = readConfig(environment);
  const running = new Error(`A demo runs already on ${config.dataDir}: stop it first`);
  const isUnused = await embeddedFiles(config)
    ?.alone(async () => undefined)
    .catch(() => true);
  if (isUnused === false) throw running;
  rmSync(config.dataDir, { recursive: true, force: true });
};

if (values.help) {
  process.stdout.write(
    'npm run demo             tell the story and leave the service running\n' +
      'npm run demo -- --exit   tell the story and end\n' +
      'It works in the folder "demo" of DATA_DIR, and begins anew each time.\n',
  );
} else {
  const environment = demoEnvironment(process.env);
  await beginAnew(environment);
  const config = readConfig(environment);
  const issuer = await openLocalIssuer(config);
  if (!issuer) throw new Error('The demo needs the local issuer: unset IDENTITY_ISSUER and IDENTITY_LOCAL');
  const service = await startService(environment);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.stop());
  try {
    const adminToken = await issuer.mint({ ...localAdmin, emailVerified: true, ttlSeconds: 86_400 });
    const mintUserToken = (uid: string, email: string) =>
      issuer.mint({ uid, email, emailVerified: true, ttlSeconds: 86_400 });
    const { dataDir, mail } = config;
    await tellStory(createApiClient(service.address), {
      adminToken,
      mintUserToken,
      dataDir,
      mailFolder: mail.folder,
      leaveOpen: !values.exit,
    });
    if (!values.exit) await service.ended;
  } finally {
    await service.stop();
  }
}
