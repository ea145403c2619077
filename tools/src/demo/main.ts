import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import {
  embeddedFiles,
  localAdmin,
  openLocalIssuer,
  readConfig,
  startFailure,
  type Environment,
} from '@portico/composition';
import { createApiClient } from '../api-client.ts';
import { NotStartedError, root, startService } from '../service-process.ts';
import { tellStory } from './story.ts';
import { startWeatherApi } from './weather-api.ts';

/** `npm run demo`: runs the service on its embedded default, and plays through a first day over the real HTTP API. */
const { values } = parseArgs({
  options: { exit: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

/** A folder of its own, where it is always the first day, and none of your servers. */
const demoEnvironment = (environment: Environment): Environment => {
  const servers = ['DATABASE_URL', 'REDIS_URL', 'QDRANT_URL', 'QDRANT_API_KEY', 'OLLAMA_URL', 'SMTP_URL'];
  const others = Object.entries(environment).filter(([name]) => !servers.includes(name.replace(/_FILE$/, '')));
  return { ...Object.fromEntries(others), DATA_DIR: join(readConfig(environment).dataDir, 'demo') };
};

/** Removes the data of an earlier demo, unless that is still running. */
const beginAnew = async (environment: Environment): Promise<void> => {
  const config = readConfig(environment);
  const running = new NotStartedError(`A demo is already running on ${config.dataDir}: stop it first`);
  const isUnused = await embeddedFiles(config)
    ?.alone(async () => undefined)
    .catch(() => true);
  if (isUnused === false) throw running;
  rmSync(config.dataDir, { recursive: true, force: true });
};

/** To the APIs of the demo, by the operator's tool, beside the running service. */
const makeConsoleLink = async (environment: Environment): Promise<string> => {
  const command = ['-C', '@portico/source', 'apps/cli/src/main.ts', '--json', 'console', '--minutes', '60'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: environment });
  const { link } = JSON.parse(stdout) as { readonly link: string };
  return link.replace('/console/#', '/console/apis#');
};

/** Runs the service until it is stopped, or until the story is told. */
const demonstrate = async (): Promise<void> => {
  const environment = demoEnvironment(process.env);
  await beginAnew(environment);
  const config = readConfig(environment);
  const issuer = await openLocalIssuer(config);
  if (!issuer) throw new NotStartedError('The demo needs the local issuer: unset IDENTITY_ISSUER and IDENTITY_LOCAL');
  const weatherApi = await startWeatherApi();
  const service = await startService(environment);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    void service.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
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
      makeConsoleLink: () => makeConsoleLink(environment),
      weatherApi,
    });
    if (!values.exit) await service.ended;
  } catch (error) {
    // The story cannot go on without its service.
    if (!isStopped) throw error;
  } finally {
    weatherApi.close();
    await service.stop();
  }
};

if (values.help) {
  process.stdout.write(
    'npm run demo             tell the story and leave the service running\n' +
      'npm run demo -- --exit   tell the story and exit\n' +
      'It works in the folder "demo" of DATA_DIR, and starts fresh each time.\n',
  );
} else {
  try {
    await demonstrate();
  } catch (error) {
    process.stderr.write(`${error instanceof NotStartedError ? error.message : startFailure(error).said}\n`);
    // What else it has started ends with it.
    process.exit(1);
  }
}
