import { Option, type Command } from 'commander';
import type { Instant } from '@portico/domain';
import { deleteCollections, showCollections } from '../commands/collections.ts';
import { grantPairs, revokePairs, showAccess, type AccessFilter, type Pairs } from '../commands/access.ts';
import { addGroup, addToGroup, deleteGroup, removeFromGroup, showGroup, showGroups } from '../commands/groups.ts';
import { approveNamed, denyNamed, showRequests } from '../commands/requests.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { csvOption, endOption, endOrNever, momentOption } from './options.ts';

/** Who may what, and until when. */
export const addAccess = (tool: Tool): void => {
  addCollections(tool);
  addGrants(tool, tool.program.command('access').description('who may what, and until when'));
  addGroups(tool);
  addRequests(tool);
};

const addCollections = (tool: Tool): void => {
  const collections = tool.program.command('collections').description('the APIs of the catalog');
  const list = collections
    .command('list')
    .argument('[name]', 'only those whose name contains this, in any case')
    .description('list them with their ids, by name');
  administer(tool, list, (api, terminal, name: string | undefined) => showCollections(api, terminal, name));
  const remove = collections
    .command('delete')
    .argument('<id...>', 'the ids of collections, as "collections list" shows them')
    .description('delete collections for good, with every grant of them');
  administer(tool, remove, deleteCollections);
};

interface PairOptions {
  readonly to?: string[];
  readonly from?: string[];
  readonly group?: string[];
  readonly collections: string[];
}

const addGrants = (tool: Tool, access: Command): void => {
  addList(tool, access);
  const withLists = (command: Command, option: string): Command =>
    command
      .option(`--${option} <email...>`, 'e-mails of people')
      .option('--group <name...>', 'names of groups')
      .requiredOption('--collections <name...>', 'exact names of collections, or ids');
  const grant = withLists(access.command('grant'), 'to')
    .option('--until <date>', 'their last day; or a date-time, or "never", which takes an end away', endOrNever)
    .description('grant each of these people and groups each of these collections');
  administer(tool, grant, (api, terminal, options: PairOptions & { readonly until?: Instant | null }) =>
    grantPairs(api, terminal, pairsOf(grant, options), options.until),
  );
  const revoke = withLists(access.command('revoke'), 'from').description(
    'revoke each of these collections from each of these people and groups; what a person has by a group stays',
  );
  // As in "grant", whose line is easily changed into this one.
  revoke.addOption(new Option('--to <email...>').hideHelp());
  administer(tool, revoke, (api, terminal, options: PairOptions) =>
    revokePairs(api, terminal, pairsOf(revoke, options)),
  );
};

const pairsOf = (command: Command, { to, from, group = [], collections }: PairOptions): Pairs => {
  const profiles = [...(to ?? []), ...(from ?? [])];
  if (profiles.length + group.length === 0) command.error('error: name people or groups');
  return { profiles, groups: group, collections };
};

const addList = (tool: Tool, access: Command): void => {
  const list = access
    .command('list')
    .option('--profile <email>', 'only this person')
    .option('--group <name>', 'only what comes by this group')
    .option('--collection <name>', 'only collections of this exact name')
    .option('--expiring-before <date>', 'only what ends before this', momentOption)
    .addOption(csvOption())
    .description('show who may what, how, and until when');
  administer(tool, list, (api, terminal, { csv = false, ...filter }: AccessFilter & { readonly csv?: boolean }) =>
    showAccess(api, terminal, filter, csv),
  );
};

const addGroups = (tool: Tool): void => {
  const groups = tool.program.command('groups').description('groups of people, whose grants are those of each member');
  administer(tool, groups.command('list').description('list the groups'), showGroups);
  const named = (verb: string, description: string): Command =>
    groups.command(verb).argument('<name>', 'the name of the group').description(description);
  administer(tool, named('show', 'show its members and collections'), showGroup);
  const add = named('add', 'create a group')
    .option('--description <text>', 'what it is for', '')
    .option('--tier <name>', 'the rate-limit tier of members without one of their own');
  administer(tool, add, (api, terminal, name: string, options: { description: string; tier?: string }) =>
    addGroup(api, terminal, { name, description: options.description, tier: options.tier ?? null }),
  );
  const remove = named('delete', 'delete a group; its members lose what only the group gave them');
  administer(tool, remove, deleteGroup);
  administer(tool, named('add-member', 'add members').argument('<email...>', 'whom'), addToGroup);
  administer(tool, named('remove-member', 'remove members').argument('<email...>', 'whom'), removeFromGroup);
};

const addRequests = (tool: Tool): void => {
  const requests = tool.program.command('requests').description('what people ask for');
  const list = requests
    .command('list')
    .option('--all', 'those that were decided too')
    .description('list the requests that wait, oldest first');
  administer(tool, list, (api, terminal, { all = false }: { all?: boolean }) => showRequests(api, terminal, all));
  const named = (name: string, description: string): Command =>
    requests
      .command(name)
      .argument('<email>', 'who asks; or the id of the request')
      .argument('[collection]', 'for which; needed if several requests of this person wait')
      .description(description);
  const approve = named('approve', 'approve a request and grant the access').option(
    '--until <date>',
    'its last day; without it, it ends after the days that were asked for, if any',
    endOption,
  );
  administer(
    tool,
    approve,
    (api, terminal, idOrEmail: string, collection: string | undefined, { until }: { until?: Instant }) =>
      approveNamed(api, terminal, { idOrEmail, collection }, until),
  );
  const deny = named('deny', 'deny a request').option('--reason <text>', 'told to who asked');
  administer(
    tool,
    deny,
    (api, terminal, idOrEmail: string, collection: string | undefined, { reason }: { reason?: string }) =>
      denyNamed(api, terminal, { idOrEmail, collection }, reason),
  );
};
