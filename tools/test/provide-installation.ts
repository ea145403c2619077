import { lateBound } from '@portico/test-servers';
import { onTestFinished } from 'vitest';
import { createInstallation, type Installation } from './installation.ts';

type Variables = Readonly<Record<string, string>>;

/** An installation for each test, by `beforeEach`, or one for all, by `beforeAll`. */
export const provideInstallation = (
  before: (create: () => Promise<() => Promise<void>>) => void,
  variables: Variables = {},
): Installation => {
  let installation: Installation;
  before(async () => {
    installation = await createInstallation(variables);
    return () => installation.remove();
  });
  return lateBound(() => installation);
};

/** An installation for the rest of a test, removed before those that were opened earlier. */
export const openInstallation = async (variables: Variables = {}): Promise<Installation> => {
  const installation = await createInstallation(variables);
  onTestFinished(() => installation.remove());
  return installation;
};
