import type { Portico } from '@portico/composition';
import { operatorAuthority, type Profile } from '@portico/domain';
import type { Server } from '../server/server.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

export const listAdmins = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const admins = await useCases.listAdmins(operatorAuthority);
  tell(terminal, admins.map(viewOf));
};

/** The same by a server's list of profiles. */
export const listAdminsOf = async (server: Server, terminal: Terminal): Promise<void> => {
  const request = { method: 'GET', path: '/api/profiles/', query: { include: 'bound' }, scope: 'access:read' } as const;
  const profiles = (await server.ask(request)) as readonly (AdminView & { readonly role: string })[];
  const admins = profiles.filter(({ role }) => role === 'admin');
  tell(
    terminal,
    admins.map(({ id, email, full_name, registration_status, bound }) => ({
      ...{ id, email, full_name, registration_status, bound },
    })),
  );
};

const tell = (terminal: Terminal, admins: readonly AdminView[]): void =>
  terminal.result(admins, admins.length > 0 ? admins.map(lineOf) : ['There is no admin.']);

/** Makes a profile an admin, which approves a pending one. Throws `OperatorError` if the e-mail is not registered. */
export const promoteAdmin = async ({ useCases }: Portico, terminal: Terminal, email: string): Promise<void> => {
  const profile = await useCases.findProfileByEmail(operatorAuthority, email);
  if (!profile) throw new OperatorError(`no profile is registered with the e-mail ${email}: it must register first`);
  const { profile: promoted, warning } = await useCases.changeRole(operatorAuthority, profile.id, 'admin');
  if (warning !== null) terminal.note(warning);
  terminal.result(viewOf(promoted), [`${promoted.email} is an admin.`]);
};

interface AdminView {
  readonly id: string;
  readonly email: string;
  readonly full_name: string;
  readonly registration_status: string;
  readonly bound: boolean;
}

const viewOf = ({ id, email, fullName, status, issuer }: Profile): AdminView => ({
  id,
  email,
  full_name: fullName,
  registration_status: status,
  bound: issuer !== null,
});

const lineOf = ({ id, email, full_name, bound }: AdminView): string =>
  `${id}  ${email}  ${full_name}${bound ? '' : '  (not bound yet)'}`;
