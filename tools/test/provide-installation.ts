import { bindLate } from '@portico/test-servers';
import { onTestFinished } from 'vitest';
import { createInstallation, type Installation } from './installation.ts';

type Variables = Readonly<Record<string, string>>;

/** Provides an installation for each test (`beforeEach`), or one for all tests (`beforeAll`). */
export const provideInstallation = (
  registerHook: (create: () => Promise<() => Promise<void>>) => void,
  variables: Variables = {},
): Installation => {
  let installation: Installation;
  registerHook(async () => {
    installation = await createInstallation(variables);
    return () => installation.remove();
  });
  return bindLate(() => installation);
};

/** Opens an installation for the rest of a test. Later ones are removed first. */
export const openInstallation = async (variables: Variables = {}): Promise<Installation> => {
  const installation = await createInstallation(variables);
  onTestFinished(() => installation.remove());
  return installation;
};
