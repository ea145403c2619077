import type { Key, Way } from './day.ts';
import { overridden, tiers } from './day.ts';
import type { Ledger } from './ledger.ts';
import { people, type World } from './world.ts';

interface Approved {
  readonly email: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** By calls of the API; documents are imported and backed up by a command. */
export const dayOverHttp = (world: World, { typed }: Ledger): Way => {
  const { api, admin, remotely, here, documents } = world;
  const ask = <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    typed(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`);
    return api.ask<Answer>(admin, method, path, body);
  };
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
  return {
    title: 'Over HTTP:',
    importAll: async () => {
      typed('portico import documents --json --server …');
      return namesIn(await remotely('import', documents, '--json'));
    },
    approveAll: async () => {
      const answer = await ask<{ outcomes: Approved[] }>('POST', '/api/profiles/approve', { profiles: people });
      return keysOf(answer.outcomes);
    },
    setTiers: async () => {
      for (const [tier, allowed_limit] of Object.entries(tiers))
        await ask('POST', '/api/rate-limits/tiers', { tier, allowed_limit, window_seconds: 60 });
      // A group gives its members a tier; one of them gets another of its own.
      await ask('POST', '/api/groups', { name: 'Team', tier: 'gold' });
      await ask('POST', '/api/groups/Team/members', { profiles: people });
      await ask('PUT', `/api/profiles/${people[1] ?? ''}/tier`, { tier: 'silver' });
    },
    override: async (email) => {
      const rule = { allowed_limit: overridden, window_seconds: 60 };
      await ask('POST', '/api/rate-limits/overrides', { client_id: email, ...rule });
    },
    grantAll: async (collections) => {
      await ask('POST', '/api/access/grants', { profiles: people, collections, expires_at: '2099-12-31' });
    },
    whoMayWhat: async () => (await ask<unknown[]>('GET', '/api/access/matrix?limit=1000')).length,
    whoUsed: async (collection) => {
      const query = `by=profile&from=${week}&collection=${encodeURIComponent(collection)}`;
      const lines = await ask<{ profile_email: string }[]>('GET', `/api/usage?${query}`);
      return lines.map(({ profile_email }) => profile_email);
    },
    whatChanged: async (actor) => {
      const page = await ask<{ data: { message: { action: string } }[] }>(
        'GET',
        `/api/audit/?source=system&actor=${actor}&from=${week}`,
      );
      return page.data.map(({ message: { action } }) => action).filter((action) => action !== 'profile.bind');
    },
    rotate: async (email) => keyIn(await ask<Approved>('POST', `/api/profiles/${email}/credentials`, {})),
    suspend: async (email) => {
      await ask('POST', `/api/profiles/${email}/suspend`, { reason: 'Left the company' });
    },
    backUp: async (file) => {
      typed('portico backup monday.tar');
      await here('backup', file);
    },
  };
};

/** The names of what an import has made, by its JSON. */
export const namesIn = (json: string): readonly string[] =>
  (JSON.parse(json) as { taken: { name: string; outcome: string }[] }).taken
    .filter(({ outcome }) => outcome === 'created')
    .map(({ name }) => name);

export const keyIn = ({ client_id, client_secret }: Omit<Approved, 'email'>): Key => ({
  clientId: client_id,
  secret: client_secret,
});

export const keysOf = (approved: readonly Approved[]): ReadonlyMap<string, Key> =>
  new Map(approved.map((one) => [one.email, keyIn(one)]));
