import type { GroupInput } from '@portico/domain';
import type { Administration } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import { shownEnd } from '../last-day.ts';
import { counted, type Terminal } from '../terminal.ts';
import { personLine, tellOutcomes, type AllDone } from './outcomes.ts';
import { newName } from './new-name.ts';

export const showGroups = async ({ groups }: Administration, terminal: Terminal): Promise<AllDone> => {
  const found = await groups();
  const rows = found.map(({ name, tier, member_count, collection_count }) => [
    name,
    counted(member_count, 'member'),
    counted(collection_count, 'collection'),
    tier === null ? '' : `tier ${tier}`,
  ]);
  terminal.result(found, rows.length > 0 ? columns(rows) : ['There is no group.']);
  return true;
};

export const showGroup = async ({ group }: Administration, terminal: Terminal, name: string): Promise<AllDone> => {
  const found = await group(name);
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
  { createGroup }: Administration,
  terminal: Terminal,
  input: GroupInput,
): Promise<AllDone> => {
  const group = { ...input, name: newName(input.name) };
  await createGroup(group);
  terminal.result(group, [`Created the group ${group.name}.`]);
  return true;
};

export const deleteGroup = async (
  { removeGroup }: Administration,
  terminal: Terminal,
  name: string,
): Promise<AllDone> => {
  await removeGroup(name);
  terminal.result({ name }, [`Deleted the group ${name}.`]);
  return true;
};

export const addToGroup = async (
  { addMembers }: Administration,
  terminal: Terminal,
  group: string,
  emails: readonly string[],
): Promise<AllDone> => {
  const outcomes = await addMembers(group, emails);
  return tellOutcomes(terminal, [outcomes.map(({ outcome, email }) => ({ outcome, email }))], personLine);
};
