import { columns } from '../columns.ts';
import { formatExpiry } from '../format-expiry.ts';
import type { Api } from '../server/api.ts';
import { counted, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';
import { personLine, reportOutcomes, type AllDone } from './outcomes.ts';
import { forEachPerson } from './people.ts';
import { pick } from './pick.ts';

const [reading, writing] = ['access:read', 'access:write'] as const;
const groupFields = ['name', 'description', 'tier', 'member_count', 'collection_count'] as const;

export const showGroups = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const groups = (await api.call('GET /api/groups', { scope: reading })).map((one) => pick(one, groupFields));
  const rows = groups.map(({ name, tier, member_count, collection_count }) => [
    name,
    counted(member_count, 'member'),
    counted(collection_count, 'collection'),
    tier === null ? '' : `tier ${tier}`,
  ]);
  terminal.result(groups, rows.length > 0 ? columns(rows) : ['There is no group.']);
  return true;
};

export const showGroup = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  const params = { group_id: name };
  const group = await api.call('GET /api/groups/:group_id', { scope: reading, params });
  const query = { limit: 10_000 };
  const members = await api.callAll('GET /api/groups/:group_id/members', { scope: reading, params, query });
  const view = {
    ...pick(group, groupFields),
    members: members.map((member) => pick(member, ['email', 'full_name', 'added_at', 'claimed_at'])),
    collections: group.collections.map((one) => pick(one, ['name', 'granted_at', 'expires_at'])),
  };
  terminal.result(view, [
    `${view.name}${view.tier === null ? '' : `, tier ${view.tier}`}${view.description === '' ? '' : `: ${view.description}`}`,
    `${counted(view.members.length, 'member')}:`,
    ...view.members.map(
      ({ email, full_name, claimed_at }) => `  ${email}  ${full_name}${claimed_at === null ? '' : '  (by claim)'}`,
    ),
    `${counted(view.collections.length, 'collection')}:`,
    ...view.collections.map(
      (one) => `  ${one.name}${one.expires_at === null ? '' : `  until ${formatExpiry(one.expires_at)}`}`,
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
  await api.call('POST /api/groups', { scope: writing, body });
  terminal.result(body, [`Created the group ${body.name}.`]);
  return true;
};

export const deleteGroup = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  await api.call('DELETE /api/groups/:group_id', { scope: writing, params: { group_id: name } });
  terminal.result({ name }, [`Deleted the group ${name}.`]);
  return true;
};

/** Adds people to a group. Each person has a separate outcome. */
export const addToGroup = async (api: Api, terminal: Terminal, group: string, profiles: string[]): Promise<AllDone> => {
  const call = { scope: writing, params: { group_id: group }, body: { profiles } };
  const { outcomes } = await api.call('POST /api/groups/:group_id/members', call);
  return reportOutcomes(terminal, [outcomes.map(({ outcome, profile: email }) => ({ outcome, email }))], personLine);
};

export const removeFromGroup = (
  api: Api,
  terminal: Terminal,
  group: string,
  emails: readonly string[],
): Promise<AllDone> =>
  forEachPerson(terminal, emails, 'removed', (profile_id) =>
    api.call('DELETE /api/groups/:group_id/members/:profile_id', {
      scope: writing,
      params: { group_id: group, profile_id },
    }),
  );
