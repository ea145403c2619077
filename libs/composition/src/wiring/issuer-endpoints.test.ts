import { startFakeFirebase, startIdentityProvider, temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../config.ts';
import { createLogger } from '../runtime/logging.ts';
import { compose, type Composition } from './compose.ts';

const open = (variables: Record<string, string>): Promise<Composition> =>
  compose(
    readConfig({ DATA_DIR: temporaryFolder(onTestFinished), ...variables }),
    createLogger('silent', 'test'),
    'http',
  );

test('the endpoints of a real provider are known soon after the first call, and after a restart without it', async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.close());
  const variables = {
    DATA_DIR: temporaryFolder(onTestFinished),
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
  };
  const first = await open(variables);
  expect(provider.requests().discovery).toBe(0);
  await expect.poll(() => first.issuerEndpoints()).toContain(`${provider.issuer}/auth`);
  const known = first.issuerEndpoints();
  expect(known).toContain(`${provider.issuer}/token`);
  await first.close();

  await provider.control.stop();
  const second = await open(variables);
  await expect.poll(() => second.issuerEndpoints()).toEqual(known);
  await second.close();
});

test('no issuer is requested if people sign in by e-mail and password', async () => {
  const firebase = await startFakeFirebase();
  onTestFinished(() => firebase.close());
  const portico = await open(firebase.variables);
  expect(portico.issuerEndpoints()).toEqual([]);
  // Any request sent before now would arrive before the last of these responses.
  const after = ['/1', '/2', '/3', '/4', '/5'];
  for (const path of after) await fetch(`http://${firebase.host}${path}`);
  expect(firebase.calls.map(({ path }) => path)).toEqual(after);
  await portico.close();
});
