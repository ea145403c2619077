import { overridden, tiers, type Way } from './day.ts';
import type { Ledger } from './ledger.ts';
import { keyIn, keysOf, namesIn } from './over-http.ts';
import { people, type World } from './world.ts';

/** By commands with `--server`; the backup is made where the stores are. */
export const dayByTool = (world: World, { typed }: Ledger): Way => {
  const shown = (args: readonly string[]) => args.map((arg) => (/^[\w@./-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ');
  const run = (...args: readonly string[]): Promise<string> => {
    typed(`portico ${shown(args.map((arg) => (arg === world.documents ? 'documents' : arg)))} --server …`);
    return world.remotely(...args);
  };
  const read = async <Answer>(...args: readonly string[]): Promise<Answer> =>
    JSON.parse(await run(...args, '--json')) as Answer;
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
  return {
    title: 'With the tool:',
    importAll: async () => namesIn(await run('import', world.documents, '--json')),
    approveAll: async () => keysOf(await read('approve', '--all-pending')),
    setTiers: async () => {
      for (const [name, allowed] of Object.entries(tiers)) await run('tier', 'set', name, '--limit', `${allowed}/60`);
      await run('tier', 'assign', 'gold', ...people.slice(0, 5));
      await run('tier', 'assign', 'silver', ...people.slice(5));
    },
    override: async (email) => {
      await run('limit', 'override', email, `${overridden}/60`);
    },
    grantAll: async (collections) => {
      await run('grant', '--to', ...people, '--collections', ...collections, '--until', '2099-12-31');
    },
    whoMayWhat: async () => (await read<unknown[]>('who')).length,
    whoUsed: async (collection) => {
      const lines = await read<{ profile_email: string }[]>('usage', '--collection', collection, '--from', week);
      return lines.map(({ profile_email }) => profile_email);
    },
    whatChanged: async (actor) => {
      const lines = await read<{ message: { action: string } }[]>('audit', '--actor', actor, '--since', week);
      return lines.map(({ message: { action } }) => action).filter((action) => action !== 'profile.bind');
    },
    rotate: async (email) => keyIn(await read('key', 'rotate', email)),
    suspend: async (email) => {
      await run('suspend', email, '--reason', 'Left the company');
    },
    backUp: async (file) => {
      typed('portico backup monday.tar');
      await world.here('backup', file);
    },
  };
};
