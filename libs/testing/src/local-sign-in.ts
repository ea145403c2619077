import type { Ports } from '@portico/domain';
import {
  createLocalIssuer,
  createLocalSignIn,
  localIssuerName,
  makeLocalIssuerKey,
  type LocalIssuer,
  type LocalSignIn,
} from '@portico/identity';
import { testGroupsClaim } from './test-issuer.ts';

/** Creates the real local issuer with a new key, using these ports. */
export const createTestSignIn = async ({
  clock,
  random,
  oneTimeCodes,
}: Pick<Ports, 'clock' | 'random' | 'oneTimeCodes'>): Promise<{
  readonly issuer: string;
  readonly localIssuer: LocalIssuer;
  readonly localSignIn: LocalSignIn;
}> => {
  const localIssuer = await createLocalIssuer({
    key: await makeLocalIssuerKey(),
    clock,
    groupsClaim: testGroupsClaim,
  });
  const localSignIn = createLocalSignIn({ issuer: localIssuer, codes: oneTimeCodes, clock, random });
  return { issuer: localIssuerName, localIssuer, localSignIn };
};
