import type { Administration } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import type { Terminal } from '../terminal.ts';
import { refusalOf, tellOutcomes, type AllDone } from './outcomes.ts';

export const showCollections = async (
  { collections }: Administration,
  terminal: Terminal,
  containing: string | null,
): Promise<AllDone> => {
  const found = await collections(containing);
  const rows = found.map(({ id, name, created_at, updated_at }) => [
    id,
    name,
    `created ${dayOf(created_at)}`,
    `changed ${dayOf(updated_at)}`,
  ]);
  const none = containing === null ? 'There is no collection.' : 'No collection has such a name.';
  terminal.result(found, rows.length > 0 ? columns(rows) : [none]);
  return true;
};

const dayOf = (moment: string): string => moment.slice(0, 10);

/** By their ids alone, since a name may be shared. */
export const deleteCollections = (
  { removeCollection }: Administration,
  terminal: Terminal,
  ids: readonly string[],
): Promise<AllDone> => {
  const each = async function* () {
    for (const id of ids) {
      const reason = await refusalOf(() => removeCollection(id));
      yield [reason === null ? { outcome: 'deleted', id } : { outcome: 'refused', id, reason }];
    }
  };
  return tellOutcomes(terminal, each(), ({ id, reason }: { outcome: string; id: string; reason?: string }) =>
    reason === undefined ? id : `${id}: ${reason}`,
  );
};
