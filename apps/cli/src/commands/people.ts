import { approvalsMax, toIso, type Instant } from '@portico/domain';
import { columns } from '../columns.ts';
import type { Api, LineOf } from '../server/api.ts';
import { ServerRefusal } from '../server/refusals.ts';
import { counted, type Terminal } from '../terminal.ts';
import { outcomeFor, personLine, reportOutcomes, type AllDone, type PersonOutcome } from './outcomes.ts';
import { pick } from './pick.ts';

type Person = LineOf<'GET /api/profiles/'>;

export interface PeopleOptions {
  readonly pending?: true;
  readonly suspended?: true;
  readonly admins?: true;
}

export const listPeople = async (api: Api, terminal: Terminal, options: PeopleOptions): Promise<AllDone> =>
  options.admins ? listAdmins(api, terminal) : listAll(api, terminal, options);

const personFields = [
  'email',
  'full_name',
  'company_name',
  'role',
  'registration_status',
  'tier',
  'suspended_at',
  'created_at',
] as const satisfies (keyof Person)[];

const listAll = async (api: Api, terminal: Terminal, { pending, suspended }: PeopleOptions): Promise<AllDone> => {
  const fetchPeople = (include: string) =>
    api.call('GET /api/profiles/', {
      scope: 'access:read',
      query: { include, registration_status: pending && 'pending', suspended },
    });
  // Tiers need a separate scope: a service account that lacks the scope lists people without their tiers.
  const profiles = await fetchPeople('tier,suspension').catch((error: unknown) => {
    if (error instanceof ServerRefusal && error.detail === 'Scope required: limits:write')
      return fetchPeople('suspension');
    throw error;
  });
  const rows = profiles.map(({ email, full_name, company_name, role, tier, ...person }) => [
    email,
    standingOf(person),
    role === 'admin' ? 'admin' : (tier ?? ''),
    company_name === null ? full_name : `${full_name}, ${company_name}`,
  ]);
  const people = profiles.map((person) => pick(person, personFields));
  terminal.result(people, rows.length > 0 ? columns(rows) : ['No people found.']);
  return true;
};

const standingOf = ({
  registration_status,
  suspended_at,
}: Pick<Person, 'registration_status' | 'suspended_at'>): string =>
  suspended_at ? `suspended ${suspended_at.slice(0, 10)}` : registration_status;

const adminFields = ['id', 'email', 'full_name', 'registration_status', 'bound'] as const satisfies (keyof Person)[];

const listAdmins = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const people = await api.call('GET /api/profiles/', { scope: 'access:read', query: { include: 'bound' } });
  const admins = people.filter(({ role }) => role === 'admin').map((person) => pick(person, adminFields));
  const lines = admins.map(
    ({ id, email, full_name, bound }) => `${id}  ${email}  ${full_name}${bound ? '' : '  (not bound yet)'}`,
  );
  terminal.result(admins, lines.length > 0 ? lines : ['There is no admin.']);
  return true;
};

/** Approves these people, or all pending ones. Each key is shown only once. */
export const approvePeople = async (
  api: Api,
  terminal: Terminal,
  emails: readonly string[] | 'all pending',
): Promise<AllDone> => {
  const recipients = emails === 'all pending' ? await pendingEmails(api) : emails;
  let approved = 0;
  const batches = async function* () {
    for (let at = 0; at < recipients.length; at += approvalsMax) {
      const profiles = recipients.slice(at, at + approvalsMax);
      const { outcomes } = await api.call('POST /api/profiles/approve', { scope: null, body: { profiles } });
      approved += outcomes.filter(({ outcome }) => outcome === 'approved').length;
      yield outcomes.map((one) => pick(one, ['outcome', 'email', 'client_id', 'client_secret']));
    }
  };
  const allDone = await reportOutcomes(terminal, batches(), ({ email, client_id, client_secret }) =>
    client_secret === undefined ? email : `${email}  ${client_id}.${client_secret}`,
  );
  terminal.note(
    approved > 0
      ? `${counted(approved, 'registration')} approved. Each key is shown only this once, and mailed if mail is enabled.`
      : 'No one was approved.',
  );
  return allDone;
};

const pendingEmails = async (api: Api): Promise<string[]> => {
  const query = { registration_status: 'pending' };
  return (await api.call('GET /api/profiles/', { scope: 'access:read', query })).map(({ email }) => email);
};

/** Runs the action for one person after another, and reports each outcome. */
export const forEachPerson = (
  terminal: Terminal,
  emails: readonly string[],
  outcome: string,
  act: (email: string) => Promise<unknown>,
): Promise<AllDone> => {
  const batches = async function* (): AsyncGenerator<readonly PersonOutcome[]> {
    for (const email of emails) yield [await outcomeFor(email, outcome, () => act(email.trim()))];
  };
  return reportOutcomes(terminal, batches(), personLine);
};

export const suspendPeople = (
  api: Api,
  terminal: Terminal,
  emails: readonly string[],
  reason: string | undefined,
): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'suspended', (user_id) =>
    api.call('POST /api/profiles/:user_id/suspend', { scope: null, params: { user_id }, body: { reason } }),
  );

export const resumePeople = (api: Api, terminal: Terminal, emails: readonly string[]): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'resumed', (user_id) =>
    api.call('POST /api/profiles/:user_id/resume', { scope: null, params: { user_id } }),
  );

/** Rotates a person's key and prints only the new one, so that a script can read it. */
export const rotateKeyOf = async (
  api: Api,
  terminal: Terminal,
  email: string,
  grace_seconds: number,
): Promise<AllDone> => {
  const params = { user_id: email.trim() };
  const issued = await api.call('POST /api/profiles/:user_id/credentials', {
    scope: null,
    params,
    body: { grace_seconds },
  });
  const { client_id, client_secret } = issued;
  const previous = grace_seconds > 0 ? `is valid for ${grace_seconds} more seconds` : 'is no longer valid';
  terminal.note(`Replaced the secret of ${email}; the previous one ${previous}. The new key is shown only this once:`);
  terminal.result({ email, client_id, client_secret }, [`${client_id}.${client_secret}`]);
  return true;
};

export const expireKeyOf = (api: Api, terminal: Terminal, email: string, at: Instant | null): Promise<AllDone> =>
  forEachPerson(terminal, [email], at === null ? 'never expires' : 'expires', (user_id) =>
    api.call('PUT /api/profiles/:user_id/credentials', {
      scope: null,
      params: { user_id },
      body: { expires_at: at === null ? null : toIso(at) },
    }),
  );
