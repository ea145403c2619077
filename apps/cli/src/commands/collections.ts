import { formatColumns } from '../format-columns.ts';
import type { Api } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import { attempt, reportOutcomes, type AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

/** Lists the collections by name, or only those whose name contains `search`, ignoring case. */
export const showCollections = async (api: Api, terminal: Terminal, search: string | undefined): Promise<AllDone> => {
  const query = { q: search, include: 'lifecycle', limit: 1_000 };
  const collections = await api.callAll('GET /api/collections/', { scope: 'catalog:read', query });
  const views = collections.map((collection) =>
    pick(collection, ['id', 'name', 'description', 'created_at', 'updated_at', 'lifecycle']),
  );
  const rows = views.map(({ id, name, created_at, updated_at, lifecycle }) => [
    id,
    name,
    `created ${dayOf(created_at)}`,
    `changed ${dayOf(updated_at)}`,
    lifecycle === undefined || lifecycle.state === 'active' ? '' : lifecycle.state,
  ]);
  const emptyMessage = search === undefined ? 'There are no collections.' : 'No collection has this text in its name.';
  terminal.printResult(views, rows.length > 0 ? formatColumns(rows) : [emptyMessage]);
  return true;
};

const dayOf = (timestamp: string): string => timestamp.slice(0, 10);

/** Deletes collections by id only, because names are not unique. */
export const deleteCollections = (api: Api, terminal: Terminal, ids: readonly string[]): Promise<AllDone> => {
  const deleteEach = async function* () {
    for (const id of ids) {
      const call = { scope: 'catalog:write', params: { collection_id: id } } as const;
      const reason = await attempt(() => api.call('DELETE /api/collections/:collection_id', call));
      yield [reason === null ? { outcome: 'deleted', id } : { outcome: 'refused', id, reason }];
    }
  };
  return reportOutcomes(terminal, deleteEach(), ({ id, reason }: { outcome: string; id: string; reason?: string }) =>
    reason === undefined ? id : `${id}: ${reason}`,
  );
};
