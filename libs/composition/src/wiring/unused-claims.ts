import { operatorAuthority, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

interface Context {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly useCases: UseCases;
}

/**
 * Clears all claims in an HTTP process without `IDENTITY_GROUPS_CLAIM`, because no token can then revoke the claims of
 * an earlier token. Other processes clear nothing, because they may lack the variable.
 */
export const clearUnusedClaims = async ({ config, duties, logger, useCases }: Context): Promise<void> => {
  if (!duties.servesRequests || config.identity.groupsClaim !== null) return;
  const profiles = await useCases.clearGroupClaims(operatorAuthority);
  if (profiles === 0) return;
  logger.warn(
    { profiles },
    `IDENTITY_GROUPS_CLAIM is not set: the claimed groups of ${profiles} ${profiles === 1 ? 'profile' : 'profiles'} were ` +
      'removed, along with those memberships. If it was left out by mistake, set it and restart: each is restored ' +
      'by the next token of its profile.',
  );
};
