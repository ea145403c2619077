import { formatColumns } from '../format-columns.ts';
import type { Api, LineOf, ResponseOf } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import { findCollection } from './collection-settings.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

type Revision = LineOf<'GET /api/collections/:collection_id/revisions'>;
type Difference = ResponseOf<'GET /api/collections/:collection_id/diff'>;

/** Lists the revisions of a collection, newest first. */
export const showRevisions = async (api: Api, terminal: Terminal, reference: string): Promise<AllDone> => {
  const { id } = await findCollection(api, reference);
  const call = { scope: 'catalog:read', params: { collection_id: id }, query: { limit: 1_000 } } as const;
  const revisions = await api.callAll('GET /api/collections/:collection_id/revisions', call);
  const rows = revisions.map((revision) => [
    `${revision.number}`,
    revision.created_at.slice(0, 16).replace('T', ' '),
    revision.actor ?? '',
    describeCounts(revision),
    revision.origin ?? '',
  ]);
  terminal.printResult(
    revisions.map((revision) => pick(revision, ['number', 'created_at', 'actor', 'origin', 'counts', 'digest'])),
    rows.length > 0 ? formatColumns(rows) : ['There are no revisions yet.'],
  );
  return true;
};

const describeCounts = ({ number, counts }: Pick<Revision, 'number' | 'counts'>): string => {
  if (!counts) return number === 1 ? 'first document' : 'unknown changes';
  return `${counts.breaking} breaking, ${counts.warning} to check, ${counts.info} other`;
};

export interface DiffOptions {
  readonly from?: number;
  readonly to?: number;
}

/** Shows the changes between two revisions, by default the current and the previous one. */
export const showDifference = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  { from, to }: DiffOptions,
): Promise<AllDone> => {
  const { id } = await findCollection(api, reference);
  const call = { scope: 'catalog:read', params: { collection_id: id }, query: { from, to } } as const;
  const difference = await api.call('GET /api/collections/:collection_id/diff', call);
  terminal.printResult(difference, formatDifference(difference));
  return true;
};

const formatDifference = ({ from, to, counts, changes }: Difference): readonly string[] => {
  if (from === null) return ['The collection has had only one document.'];
  const total = counts.breaking + counts.warning + counts.info;
  return [
    `From revision ${from} to ${to}: ${describeCounts({ number: to, counts })}.`,
    ...formatColumns(
      changes.map(({ level, method, path, place, text }) => [
        level,
        [method ?? '', path ?? '', place].filter((part) => part !== '').join(' '),
        text,
      ]),
    ),
    ...(changes.length < total ? [`and ${total - changes.length} more`] : []),
  ];
};

/** Makes a revision the current document again. */
export const restoreRevision = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  number: number,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const call = { scope: 'catalog:write', params: { collection_id: id, revision: `${number}` } } as const;
  const { changes } = await api.call('POST /api/collections/:collection_id/revisions/:revision/restore', call);
  const outcome = changes ? 'restored' : 'unchanged';
  terminal.printResult({ outcome, id, revision: number }, [`${outcome}  ${name}  revision ${number}`]);
  return true;
};
