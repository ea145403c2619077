import { formatColumns } from '../format-columns.ts';

import type { Api } from '../server/api.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { findCollection } from './collection-settings.ts';
import type { AllDone } from './outcomes.ts';
import { pick } from './pick.ts';

export interface LifecycleOptions {
  readonly since?: string;
  readonly sunset?: string;
  readonly successor?: string;
  readonly text?: string;
}

const lifecycleFields = ['state', 'since', 'sunset', 'successor', 'text'] as const;

/** Sets the state of a collection; details that are not given are kept. */
export const setLifecycle = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  state: 'active' | 'deprecated' | 'retired',
  options: LifecycleOptions,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const body = { state, ...pick(options, ['since', 'sunset', 'successor', 'text']) };
  const call = { scope: 'catalog:write', params: { collection_id: id }, body } as const;
  const lifecycle = await api.call('PUT /api/collections/:collection_id/lifecycle', call);
  const line = [`set  ${name}  ${describeState(lifecycle)}`];
  terminal.printResult({ outcome: 'set', id, ...pick(lifecycle, lifecycleFields) }, line);
  return true;
};

/** Returns the state with its dates, in one line. */
const describeState = ({ state, since, sunset }: Pick<Lifecycle, 'state' | 'since' | 'sunset'>): string =>
  [
    state,
    ...(since === null ? [] : [`since ${since.slice(0, 10)}`]),
    ...(sunset === null ? [] : [`until ${sunset.slice(0, 16).replace('T', ' ')} UTC`]),
  ].join(' ');

interface Lifecycle {
  readonly state: string;
  readonly since: string | null;
  readonly sunset: string | null;
  readonly successor: string | null;
  readonly text: string | null;
}

export interface OwnerOptions {
  readonly group?: string;
  readonly none?: boolean;
}

export const setOwner = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  { group }: OwnerOptions,
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const call = { scope: null, params: { collection_id: id }, body: { group: group ?? null } };
  const owner = await api.call('PUT /api/collections/:collection_id/owner', call);
  terminal.printResult({ outcome: 'set', id, owner: owner.group && pick(owner.group, ['id', 'name']) }, [
    `set  ${name}  ${describeOwner(owner.group)}`,
  ]);
  return true;
};

const describeOwner = (group: { readonly name: string } | null): string =>
  group ? `owned by the group ${group.name}` : 'owned by no group';

export const setTags = async (
  api: Api,
  terminal: Terminal,
  reference: string,
  tags: readonly string[],
): Promise<AllDone> => {
  const { id, name } = await findCollection(api, reference);
  const call = { scope: 'catalog:write' as const, params: { collection_id: id }, body: { tags: [...tags] } };
  const result = await api.call('PUT /api/collections/:collection_id/tags', call);
  terminal.printResult({ outcome: 'set', id, tags: result.tags }, [`set  ${name}  ${describeTags(result.tags)}`]);
  return true;
};

const describeTags = (tags: readonly string[]): string => (tags.length === 0 ? 'no tags' : tags.join(', '));

/** Shows a collection with its lifecycle, owner and tags. */
export const showCollection = async (api: Api, terminal: Terminal, reference: string): Promise<AllDone> => {
  const { id } = await findCollection(api, reference);
  // The operator has access to lists only.
  const query = { include: 'lifecycle,tags', limit: 1_000 };
  const collections = await api.callAll('GET /api/collections/', { scope: 'catalog:read', query });
  const collection = collections.find((candidate) => candidate.id === id);
  if (!collection?.lifecycle || !collection.tags)
    throw new OperatorError(`there is no collection ${reference}: see "portico collections list"`);
  const params = { collection_id: id };
  const { group } = await api.call('GET /api/collections/:collection_id/owner', { scope: 'catalog:read', params });
  const { lifecycle, tags } = collection;
  const owner = group && pick(group, ['id', 'name']);
  const fields = pick(collection, ['id', 'name', 'description', 'created_at', 'updated_at', 'lifecycle', 'tags']);
  terminal.printResult(
    { ...fields, owner },
    formatColumns([
      ['id', id],
      ['name', collection.name],
      ['lifecycle', describeState(lifecycle)],
      ...(lifecycle.successor === null ? [] : [['successor', lifecycle.successor]]),
      ...(lifecycle.text === null ? [] : [['note', lifecycle.text.replace(/\s+/g, ' ')]]),
      ['owner', group?.name ?? 'none'],
      ['tags', tags.length === 0 ? 'none' : tags.join(', ')],
    ]),
  );
  return true;
};
