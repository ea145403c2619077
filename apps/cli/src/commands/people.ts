import { approvalsMax, type Instant, type RegistrationStatus } from '@portico/domain';
import type { Administration, Approval, Person } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import { counted, type Terminal } from '../terminal.ts';
import { outcomeFor, personLine, tellOutcomes, type AllDone, type PersonOutcome } from './outcomes.ts';

export const listPeople = async (
  { people }: Administration,
  terminal: Terminal,
  { pending, suspended }: { readonly pending?: true; readonly suspended?: true },
): Promise<AllDone> => {
  const status: RegistrationStatus | null = pending ? 'pending' : null;
  const found = await people({ status, suspended: suspended ?? null });
  const rows = found.map(({ email, full_name, company_name, role, tier, ...person }) => [
    email,
    standingOf(person),
    role === 'admin' ? 'admin' : (tier ?? ''),
    company_name === null ? full_name : `${full_name}, ${company_name}`,
  ]);
  terminal.result(found, rows.length > 0 ? columns(rows) : ['Nobody.']);
  return true;
};

const standingOf = ({
  registration_status,
  suspended_at,
}: Pick<Person, 'registration_status' | 'suspended_at'>): string =>
  suspended_at === null ? registration_status : `suspended ${suspended_at.slice(0, 10)}`;

/** Approves these people, or all who wait. Each key is shown only this once. */
export const approvePeople = async (
  administration: Administration,
  terminal: Terminal,
  emails: readonly string[] | 'all pending',
): Promise<AllDone> => {
  const named =
    emails === 'all pending'
      ? (await administration.people({ status: 'pending', suspended: null })).map(({ email }) => email)
      : emails;
  let approved = 0;
  const lots = async function* () {
    for (let at = 0; at < named.length; at += approvalsMax) {
      const lot = await administration.approve(named.slice(at, at + approvalsMax));
      approved += lot.filter(({ outcome }) => outcome === 'approved').length;
      yield lot.map(told);
    }
  };
  const allDone = await tellOutcomes(terminal, lots(), ({ email, client_id, client_secret }) =>
    client_secret === undefined ? email : `${email}  ${client_id}.${client_secret}`,
  );
  terminal.note(
    approved > 0
      ? `${counted(approved, 'registration')} approved. Each key is shown only this once, and mailed if mail is enabled.`
      : 'Nobody was approved.',
  );
  return allDone;
};

const told = ({ outcome, email, client_id, client_secret }: Approval) => ({
  outcome,
  email,
  ...(client_secret === undefined ? {} : { client_id, client_secret }),
});

/** Does the same to each of these people, one after the other; tells each outcome. */
export const toEach = (
  terminal: Terminal,
  emails: readonly string[],
  outcome: string,
  act: (email: string) => Promise<void>,
): Promise<AllDone> => {
  const lots = async function* (): AsyncGenerator<readonly PersonOutcome[]> {
    for (const email of emails) yield [await outcomeFor(email, outcome, () => act(email))];
  };
  return tellOutcomes(terminal, lots(), personLine);
};

/** Prints the new key alone, so that a script can take it. */
export const rotateKeyOf = async (
  { rotateKey }: Administration,
  terminal: Terminal,
  email: string,
  graceSeconds: number,
): Promise<AllDone> => {
  const { client_id, client_secret } = await rotateKey(email, graceSeconds);
  const before = graceSeconds > 0 ? `is valid for ${graceSeconds} more seconds` : 'is no longer valid';
  terminal.note(`Replaced the secret of ${email}; the one before ${before}. The new key is shown only this once:`);
  terminal.result({ email, client_id, client_secret }, [`${client_id}.${client_secret}`]);
  return true;
};

export const expireKeyOf = (
  { expireKey }: Administration,
  terminal: Terminal,
  email: string,
  at: Instant | null,
): Promise<AllDone> => toEach(terminal, [email], at === null ? 'never expires' : 'expires', () => expireKey(email, at));
