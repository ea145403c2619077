import type { Portico } from '@portico/composition';
import { operatorAuthority, type Profile } from '@portico/domain';
import { OperatorError, type Terminal } from '../terminal.ts';

export const listAdmins = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const admins = await useCases.listAdmins(operatorAuthority);
  terminal.result(admins.map(viewOf), admins.length > 0 ? admins.map(lineOf) : ['There is no admin.']);
};

/** Makes a profile an admin, which approves a pending one. Throws `OperatorError` if the e-mail is not registered. */
export const promoteAdmin = async ({ useCases }: Portico, terminal: Terminal, email: string): Promise<void> => {
  const profile = await useCases.findProfileByEmail(operatorAuthority, email);
  if (!profile) throw new OperatorError(`no profile is registered with the e-mail ${email}: it must register first`);
  const { profile: promoted, warning } = await useCases.changeRole(operatorAuthority, profile.id, 'admin');
  if (warning !== null) terminal.note(warning);
  terminal.result(viewOf(promoted), [`${promoted.email} is an admin.`]);
};

const viewOf = ({ id, email, fullName, status, issuer }: Profile) => ({
  id,
  email,
  full_name: fullName,
  registration_status: status,
  bound: issuer !== null,
});

const lineOf = ({ id, email, fullName, issuer }: Profile): string =>
  `${id}  ${email}  ${fullName}${issuer === null ? '  (not bound yet)' : ''}`;
