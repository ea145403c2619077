import { startFakeFirebase, startIdentityProvider, createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';
import { compose, type Composition } from './compose.ts';

const open = (variables: Record<string, string>): Promise<Composition> =>
  compose(
    readConfig({ DATA_DIR: createTemporaryFolder(onTestFinished), ...variables }),
    createLogger('silent', 'test'),
    'http',
  );

test('the endpoints of a real provider are known soon after the first call, and after a restart without it', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.close());
  const variables = {
    DATA_DIR: createTemporaryFolder(onTestFinished),
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
  };
  const firstPortico = await open(variables);
  expect(provider.countRequests().discovery).toBe(0);
  await expect.poll(() => firstPortico.listIssuerEndpoints()).toContain(`${provider.issuer}/auth`);
  const knownEndpoints = firstPortico.listIssuerEndpoints();
  expect(knownEndpoints).toContain(`${provider.issuer}/token`);
  await firstPortico.close();

  await provider.control.stop();
  const secondPortico = await open(variables);
  await expect.poll(() => secondPortico.listIssuerEndpoints()).toEqual(knownEndpoints);
  await secondPortico.close();
});

test('the issuer is not queried if people sign in with email address and password', async () => {
  const firebase = await startFakeFirebase();
  onTestFinished(() => firebase.close());
  const portico = await open(firebase.variables);
  expect(portico.listIssuerEndpoints()).toEqual([]);
  // Any request sent before now would arrive before the last of these responses.
  const laterPaths = ['/1', '/2', '/3', '/4', '/5'];
  for (const path of laterPaths) await fetch(`http://${firebase.host}${path}`);
  expect(firebase.calls.map(({ path }) => path)).toEqual(laterPaths);
  await portico.close();
});
