import { columns } from '../columns.ts';
import { shownEnd } from '../last-day.ts';
import type { Api } from '../server/api.ts';
import { counted, type Terminal } from '../terminal.ts';
import { newName } from './new-name.ts';
import { personLine, tellOutcomes, type AllDone } from './outcomes.ts';
import { toEach } from './people.ts';
import { picked } from './picked.ts';

const [reading, writing] = ['access:read', 'access:write'] as const;
const groupFields = ['name', 'description', 'tier', 'member_count', 'collection_count'] as const;

export const showGroups = async (api: Api, terminal: Terminal): Promise<AllDone> => {
  const found = (await api.call('GET /api/groups', { scope: reading })).map((one) => picked(one, groupFields));
  const rows = found.map(({ name, tier, member_count, collection_count }) => [
    name,
    counted(member_count, 'member'),
    counted(collection_count, 'collection'),
    tier === null ? '' : `tier ${tier}`,
  ]);
  terminal.result(found, rows.length > 0 ? columns(rows) : ['There is no group.']);
  return true;
};

export const showGroup = async (api: Api, terminal: Terminal, name: string): Promise<AllDone> => {
  const params = { group_id: name };
  const whole = await api.call('GET /api/groups/:group_id', { scope: reading, params });
  const query = { limit: 10_000 };
  const members = await api.callAll('GET /api/groups/:group_id/members', { scope: reading, params, query });
  const found = {
    ...picked(whole, groupFields),
    members: members.map((member) => picked(member, ['email', 'full_name', 'added_at', 'claimed_at'])),
    collections: whole.collections.map((one) => picked(one, ['name', 'granted_at', 'expires_at'])),
  };
  terminal.result(found, [
    `${found.name}${found.tier === null ? '' : `, tier ${found.tier}`}${found.description === '' ? '' : `: ${found.description}`}`,
    `${counted(found.members.length, 'member')}:`,
    ...found.members.map(
      ({ email, full_name, claimed_at }) => `  ${email}  ${full_name}${claimed_at === null ? '' : '  (by claim)'}`,
    ),
    `${counted(found.collections.length, 'collection')}:`,
    ...found.collections.map(
      (one) => `  ${one.name}${one.expires_at === null ? '' : `  until ${shownEnd(one.expires_at)}`}`,
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

/** Each has an outcome of its own. */
export const addToGroup = async (api: Api, terminal: Terminal, group: string, profiles: string[]): Promise<AllDone> => {
  const call = { scope: writing, params: { group_id: group }, body: { profiles } };
  const { outcomes } = await api.call('POST /api/groups/:group_id/members', call);
  return tellOutcomes(terminal, [outcomes.map(({ outcome, profile: email }) => ({ outcome, email }))], personLine);
};

export const removeFromGroup = (
  api: Api,
  terminal: Terminal,
  group: string,
  emails: readonly string[],
): Promise<AllDone> =>
  toEach(terminal, emails, 'removed', (profile_id) =>
    api.call('DELETE /api/groups/:group_id/members/:profile_id', {
      scope: writing,
      params: { group_id: group, profile_id },
    }),
  );
