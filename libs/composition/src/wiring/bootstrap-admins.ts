import { canSignIn, operatorAuthority, type Profile, type UseCases } from '@portico/domain';
import { localIssuerName } from '@portico/identity';
import type { Logger } from 'pino';
import { localAdmin, type Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

interface Context {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly useCases: UseCases;
}

/**
 * Ensures that there is a first admin. An HTTP process also warns about admins who cannot sign in. Other processes may
 * lack some of the HTTP process's variables, so they do not warn, and create a first admin only if there is no admin
 * at all.
 */
export const bootstrapAdmins = async ({ config, duties, logger, useCases }: Context): Promise<void> => {
  const canClaim = duties.servesRequests || (await useCases.listAdmins(operatorAuthority)).length === 0;
  const newAdmin = canClaim && config.firstAdmin ? await useCases.claimFirstAdmin(config.firstAdmin) : null;
  if (newAdmin)
    logger.info(
      { profileId: newAdmin.id, email: newAdmin.email },
      'No admin could sign in; this profile is an admin now',
    );
  if (!duties.servesRequests) return;
  for (const warning of listAdminWarnings(config, await useCases.listAdmins(operatorAuthority))) logger.warn(warning);
};

const listAdminWarnings = ({ firstAdmin, settings }: Config, admins: readonly Profile[]): readonly string[] => {
  const activeAdmins = admins.filter((admin) => canSignIn(settings, admin));
  const adminsOfDisabledIssuers = admins.filter(({ issuer }) => issuer !== null && !settings.issuers.includes(issuer));
  const isApplied = activeAdmins.some(({ uid, issuer }) => uid === firstAdmin?.uid && issuer === firstAdmin.issuer);
  const rows: readonly (readonly [holds: boolean, text: string])[] = [
    [
      firstAdmin !== null && firstAdmin !== localAdmin && !isApplied,
      'BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL are set but not applied: an admin who can sign in already exists.',
    ],
    [
      adminsOfDisabledIssuers.some(({ issuer }) => issuer === localIssuerName),
      'The local issuer is off: its admins, such as local-admin, cannot sign in and do not count.',
    ],
    [
      adminsOfDisabledIssuers.some(({ issuer }) => issuer !== localIssuerName),
      'Some admins are bound to a disabled issuer: they cannot sign in and do not count.',
    ],
    [
      activeAdmins.length === 0,
      'No admin can sign in: set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".',
    ],
  ];
  return rows.filter(([applies]) => applies).map(([, text]) => text);
};
