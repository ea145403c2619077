import { columns } from '../columns.ts';
import type { Api } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import { refusalOf, tellOutcomes, type AllDone } from './outcomes.ts';
import { picked } from './picked.ts';

/** By name; of `containing` only those whose name contains it, in any case. */
export const showCollections = async (
  api: Api,
  terminal: Terminal,
  containing: string | undefined,
): Promise<AllDone> => {
  const query = { q: containing, limit: 1_000 };
  const listed = await api.callAll('GET /api/collections/', { scope: 'catalog:read', query });
  const found = listed.map((one) => picked(one, ['id', 'name', 'description', 'created_at', 'updated_at']));
  const rows = found.map(({ id, name, created_at, updated_at }) => [
    id,
    name,
    `created ${dayOf(created_at)}`,
    `changed ${dayOf(updated_at)}`,
  ]);
  const none = containing === undefined ? 'There is no collection.' : 'No collection has such a name.';
  terminal.result(found, rows.length > 0 ? columns(rows) : [none]);
  return true;
};

const dayOf = (moment: string): string => moment.slice(0, 10);

/** By their ids alone, since a name may be shared. */
export const deleteCollections = (api: Api, terminal: Terminal, ids: readonly string[]): Promise<AllDone> => {
  const each = async function* () {
    for (const id of ids) {
      const call = { scope: 'catalog:write', params: { collection_id: id } } as const;
      const reason = await refusalOf(() => api.call('DELETE /api/collections/:collection_id', call));
      yield [reason === null ? { outcome: 'deleted', id } : { outcome: 'refused', id, reason }];
    }
  };
  return tellOutcomes(terminal, each(), ({ id, reason }: { outcome: string; id: string; reason?: string }) =>
    reason === undefined ? id : `${id}: ${reason}`,
  );
};
