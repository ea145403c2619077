import { formatColumns } from '../format-columns.ts';
import { formatExpiry } from '../format-expiry.ts';
import type { Api } from '../server/api.ts';
import { formatCount, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';
import { toPersonLine, reportOutcomes, type AllDone } from './outcomes.ts';
import { forEachPerson } from './people.ts';
import { pick } from './pick.ts';

const [readScope, writeScope] = ['access:read', 'access:write'] as const;
const groupFields = ['name', 'description', 'tier', 'member_count', 'collection_count'] as const;

export const showGroups = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const groups = (await api.call('GET /api/groups', { scope: readScope })).map((group) => pick(group, groupFields));
  const rows = groups.map(({ name, tier, member_count, collection_count }) => [
    name,
    formatCount(member_count, 'member'),
    formatCount(collection_count, 'collection'),
    tier === null ? '' : `tier ${tier}`,
  ]);
  terminal.printResult(groups, rows.length > 0 ? formatColumns(rows) : ['There are no groups.']);
  return true;
};

export const showGroup = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  const params = { group_id: name };
  const group = await api.call('GET /api/groups/:group_id', { scope: readScope, params });
  const query = { limit: 10_000 };
  const members = await api.callAll('GET /api/groups/:group_id/members', { scope: readScope, params, query });
  const view = {
    ...pick(group, groupFields),
    members: members.map((member) => pick(member, ['email', 'full_name', 'added_at', 'claimed_at'])),
    collections: group.collections.map((collection) => pick(collection, ['name', 'granted_at', 'expires_at'])),
  };
  terminal.printResult(view, [
    `${view.name}${view.tier === null ? '' : `, tier ${view.tier}`}${view.description === '' ? '' : `: ${view.description}`}`,
    `${formatCount(view.members.length, 'member')}:`,
    ...view.members.map(
      ({ email, full_name, claimed_at }) => `  ${email}  ${full_name}${claimed_at === null ? '' : '  (by claim)'}`,
    ),
    `${formatCount(view.collections.length, 'collection')}:`,
    ...view.collections.map(
      (collection) =>
        `  ${collection.name}${collection.expires_at === null ? '' : `  until ${formatExpiry(collection.expires_at)}`}`,
    ),
  ]);
  return true;
};

export const addGroup = async (
  api: Api,
  terminal: Terminal,
  input: { readonly name: string; readonly description: string; readonly tier: string | null },
): Promise<AllDone> => {
  const body = { ...input, name: newName(input.name) };
  await api.call('POST /api/groups', { scope: writeScope, body });
  terminal.printResult(body, [`Created the group ${body.name}.`]);
  return true;
};

export const deleteGroup = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  await api.call('DELETE /api/groups/:group_id', { scope: writeScope, params: { group_id: name } });
  terminal.printResult({ name }, [`Deleted the group ${name}.`]);
  return true;
};

/** Adds people to a group. Each person has a separate outcome. */
export const addToGroup = async (api: Api, terminal: Terminal, group: string, profiles: string[]): Promise<AllDone> => {
  const call = { scope: writeScope, params: { group_id: group }, body: { profiles } };
  const { outcomes } = await api.call('POST /api/groups/:group_id/members', call);
  return reportOutcomes(terminal, [outcomes.map(({ outcome, profile: email }) => ({ outcome, email }))], toPersonLine);
};

export const removeFromGroup = (
  api: Api,
  terminal: Terminal,
  group: string,
  emails: readonly string[],
): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'removed', (profile_id) =>
    api.call('DELETE /api/groups/:group_id/members/:profile_id', {
      scope: writeScope,
      params: { group_id: group, profile_id },
    }),
  );
