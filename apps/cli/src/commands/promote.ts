import type { Portico } from '@portico/composition';
import { operatorAuthority } from '@portico/domain';
import { OperatorError, type Terminal } from '../terminal.ts';

/**
 * Makes a profile an admin, which also approves a pending profile. Throws an `OperatorError` if the email address is
 * not registered.
 */
export const promoteAdmin = async ({ useCases }: Portico, terminal: Terminal, email: string): Promise<void> => {
  const profile = await useCases.findProfileByEmail(operatorAuthority, email);
  if (!profile)
    throw new OperatorError(
      `no profile is registered with the email address ${email}: this person must register first`,
    );
  const { profile: admin, warning } = await useCases.changeRole(operatorAuthority, profile.id, 'admin');
  if (warning !== null) terminal.printNote(warning);
  const { id, fullName, status, issuer } = admin;
  terminal.printResult(
    { id, email: admin.email, full_name: fullName, registration_status: status, bound: issuer !== null },
    [`${admin.email} is an admin.`],
  );
};
