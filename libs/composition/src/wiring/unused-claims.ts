import { operatorAuthority, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

interface Facts {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly useCases: UseCases;
}

/**
 * Without `IDENTITY_GROUPS_CLAIM` no token can end what an earlier one said, so that an HTTP process forgets all of it.
 * Other processes may lack the variable.
 */
export const forgetUnusedClaims = async ({ config, duties, logger, useCases }: Facts): Promise<void> => {
  if (!duties.answersRequests || config.identity.groupsClaim !== null) return;
  const profiles = await useCases.forgetGroupClaims(operatorAuthority);
  if (profiles === 0) return;
  logger.warn(
    { profiles },
    `IDENTITY_GROUPS_CLAIM is not set: what tokens said about the groups of ${profiles} ${profiles === 1 ? 'profile' : 'profiles'} is ` +
      'forgotten, and those memberships have ended. If it was left out by mistake, set it and start again: each one returns ' +
      'with the next token of its profile.',
  );
};
