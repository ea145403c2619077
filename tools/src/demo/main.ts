import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import {
  findEmbeddedFiles,
  localAdmin,
  openLocalIssuer,
  readConfig,
  toStartFailure,
  type Environment,
} from '@portico/composition';
import { createApiClient } from '../api-client.ts';
import { NotStartedError, root, startService } from '../service-process.ts';
import { runStory } from './story.ts';
import { startWeatherApi } from './weather-api.ts';

/** `npm run demo`: runs the service with its embedded default, and goes through a first day over the real HTTP API. */
const { values } = parseArgs({
  options: { exit: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

/**
 * Returns an environment with a separate data folder, which is empty at each start, and without any of your servers.
 */
const createDemoEnvironment = (environment: Environment): Environment => {
  const servers = ['DATABASE_URL', 'REDIS_URL', 'QDRANT_URL', 'QDRANT_API_KEY', 'OLLAMA_URL', 'SMTP_URL'];
  const otherVariables = Object.entries(environment).filter(([name]) => !servers.includes(name.replace(/_FILE$/, '')));
  return { ...Object.fromEntries(otherVariables), DATA_DIR: join(readConfig(environment).dataDir, 'demo') };
};

/** Removes the data of an earlier demo, unless that demo is still running. */
const removeEarlierDemo = async (environment: Environment): Promise<void> => {
  const config = readConfig(environment);
  const alreadyRunningError = new NotStartedError(`A demo is already running on ${config.dataDir}: stop it first`);
  const isUnused = await findEmbeddedFiles(config)
    ?.runExclusively(async () => undefined)
    .catch(() => true);
  if (isUnused === false) throw alreadyRunningError;
  rmSync(config.dataDir, { recursive: true, force: true });
};

/** Creates a link to the demo's APIs with the command-line tool, while the service runs. */
const makeConsoleLink = async (environment: Environment): Promise<string> => {
  const command = ['-C', '@portico/source', 'apps/cli/src/main.ts', '--json', 'console', '--minutes', '60'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: environment });
  const { link } = JSON.parse(stdout) as { readonly link: string };
  return link.replace('/console/#', '/console/apis#');
};

/** Runs the service until it is stopped, or until the end of the story. */
const runDemo = async (): Promise<void> => {
  const environment = createDemoEnvironment(process.env);
  await removeEarlierDemo(environment);
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
    await runStory(createApiClient(service.address), {
      adminToken,
      mintUserToken,
      dataDir,
      mailFolder: mail.folder,
      keepRunning: !values.exit,
      makeConsoleLink: () => makeConsoleLink(environment),
      weatherApi,
    });
    if (!values.exit) await service.exitCode;
  } catch (error) {
    // The story cannot continue without the service.
    if (!isStopped) throw error;
  } finally {
    weatherApi.close();
    await service.stop();
  }
};

if (values.help) {
  process.stdout.write(
    'npm run demo             run the story and leave the service running\n' +
      'npm run demo -- --exit   run the story and exit\n' +
      'It uses the folder "demo" in DATA_DIR, and starts from scratch each time.\n',
  );
} else {
  try {
    await runDemo();
  } catch (error) {
    process.stderr.write(`${error instanceof NotStartedError ? error.message : toStartFailure(error).message}\n`);
    // Exiting also stops everything that the demo has started.
    process.exit(1);
  }
}
