import { canSignIn, operatorAuthority, type Profile, type UseCases } from '@portico/domain';
import { localIssuerName } from '@portico/identity';
import type { Logger } from 'pino';
import { localAdmin, type Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

interface Facts {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly useCases: UseCases;
}

/**
 * Ensures that there is a first admin. An HTTP process also warns of admins who cannot sign in. Other processes may lack
 * some of its variables: they leave that to it, and make a first admin only while there is none at all.
 */
export const bootstrapAdmins = async ({ config, duties, logger, useCases }: Facts): Promise<void> => {
  const mayClaim = duties.answersRequests || (await useCases.listAdmins(operatorAuthority)).length === 0;
  const made = mayClaim && config.firstAdmin ? await useCases.claimFirstAdmin(config.firstAdmin) : null;
  if (made)
    logger.info({ profileId: made.id, email: made.email }, 'No admin could sign in; this profile is an admin now');
  if (!duties.answersRequests) return;
  for (const warning of adminWarnings(config, await useCases.listAdmins(operatorAuthority))) logger.warn(warning);
};

const adminWarnings = ({ firstAdmin, settings }: Config, admins: readonly Profile[]): readonly string[] => {
  const able = admins.filter((admin) => canSignIn(settings, admin));
  const ofIssuersOff = admins.filter(({ issuer }) => issuer !== null && !settings.issuers.includes(issuer));
  const isApplied = able.some(({ uid, issuer }) => uid === firstAdmin?.uid && issuer === firstAdmin.issuer);
  const rows: readonly (readonly [holds: boolean, text: string])[] = [
    [
      firstAdmin !== null && firstAdmin !== localAdmin && !isApplied,
      'BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL are set but not applied: an admin who can sign in already exists.',
    ],
    [
      ofIssuersOff.some(({ issuer }) => issuer === localIssuerName),
      'The local issuer is off: its admins, such as local-admin, cannot sign in and do not count.',
    ],
    [
      ofIssuersOff.some(({ issuer }) => issuer !== localIssuerName),
      'Some admins are bound to a disabled issuer: they cannot sign in and do not count.',
    ],
    [
      able.length === 0,
      'No admin can sign in: set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".',
    ],
  ];
  return rows.filter(([holds]) => holds).map(([, text]) => text);
};
