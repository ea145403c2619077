import { Option, type Command } from 'commander';
import type { Instant } from '@portico/domain';
import type { Pairs } from '../administration/administration.ts';
import { deleteCollections, showCollections } from '../commands/collections.ts';
import { grantPairs, revokePairs, showAccess } from '../commands/access.ts';
import { addGroup, addToGroup, deleteGroup, showGroup, showGroups } from '../commands/groups.ts';
import { toEach } from '../commands/people.ts';
import { approveNamed, denyNamed, showRequests } from '../commands/requests.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { csvOption, endOption, endOrNever, momentOption } from './options.ts';

/** Who may what, and until when. */
export const addAccess = (tool: Tool): void => {
  addCollections(tool);
  addGrants(tool);
  addWho(tool);
  addGroups(tool);
  addRequests(tool);
};

const addCollections = (tool: Tool): void => {
  const collections = tool.program.command('collections').description('the APIs of the catalog');
  const list = collections
    .command('list')
    .argument('[name]', 'only those whose name contains this, in any case')
    .description('list them with their ids, by name');
  administer(tool, list, (administration, terminal, name: string | undefined) =>
    showCollections(administration, terminal, name ?? null),
  );
  const remove = collections
    .command('delete')
    .argument('<id...>', 'the ids of collections, as "collections list" shows them')
    .description('delete collections for good, with every grant of them');
  administer(tool, remove, (administration, terminal, ids: string[]) =>
    deleteCollections(administration, terminal, ids),
  );
};

interface PairOptions {
  readonly to?: readonly string[];
  readonly from?: readonly string[];
  readonly group?: readonly string[];
  readonly collections: readonly string[];
}

const addGrants = (tool: Tool): void => {
  const { program } = tool;
  const withLists = (command: Command, option: string): Command =>
    command
      .option(`--${option} <email...>`, 'e-mails of people')
      .option('--group <name...>', 'names of groups')
      .requiredOption('--collections <name...>', 'exact names of collections, or ids');
  const grant = withLists(program.command('grant'), 'to')
    .option('--until <date>', 'their last day; or a date-time, or "never", which takes an end away', endOrNever)
    .description('grant each of these people and groups each of these collections');
  administer(tool, grant, (administration, terminal, options: PairOptions & { readonly until?: Instant | null }) =>
    grantPairs(administration, terminal, pairsOf(grant, options), options.until),
  );
  const revoke = withLists(program.command('revoke'), 'from').description(
    'revoke each of these collections from each of these people and groups; what a person has by a group stays',
  );
  // As in "grant", whose line is easily changed into this one.
  revoke.addOption(new Option('--to <email...>').hideHelp());
  administer(tool, revoke, (administration, terminal, options: PairOptions) =>
    revokePairs(administration, terminal, pairsOf(revoke, options)),
  );
};

const pairsOf = (command: Command, { to, from, group = [], collections }: PairOptions): Pairs => {
  const emails = [...(to ?? []), ...(from ?? [])];
  if (emails.length + group.length === 0) command.error('error: name people or groups');
  return { emails, groups: group, collections };
};

interface WhoOptions {
  readonly profile?: string;
  readonly group?: string;
  readonly collection?: string;
  readonly expiringBefore?: Instant;
  readonly csv?: true;
}

const addWho = (tool: Tool): void => {
  const who = tool.program
    .command('who')
    .option('--profile <email>', 'only this person')
    .option('--group <name>', 'only what comes by this group')
    .option('--collection <name>', 'only collections of this exact name')
    .option('--expiring-before <date>', 'only what ends before this', momentOption)
    .addOption(csvOption())
    .description('show who may what, how, and until when');
  administer(
    tool,
    who,
    (administration, terminal, { csv = false, ...filter }: { csv?: boolean } & Omit<WhoOptions, 'csv'>) =>
      showAccess(administration, terminal, filter, csv),
  );
};

const addGroups = (tool: Tool): void => {
  const group = tool.program.command('group').description('groups of people, whose grants are those of each member');
  administer(tool, group.command('list').description('list the groups'), showGroups);
  const named = (name: string, description: string): Command =>
    group.command(name).argument('<name>', 'the name of the group').description(description);
  administer(tool, named('show', 'show its members and collections'), (administration, terminal, name: string) =>
    showGroup(administration, terminal, name),
  );
  const create = named('create', 'create a group')
    .option('--description <text>', 'what it is for', '')
    .option('--tier <name>', 'the rate-limit tier of members without one of their own');
  administer(
    tool,
    create,
    (administration, terminal, name: string, { description, tier }: { description: string; tier?: string }) =>
      addGroup(administration, terminal, { name, description, tier: tier ?? null }),
  );
  administer(
    tool,
    named('delete', 'delete a group; its members lose what only the group gave them'),
    (administration, terminal, name: string) => deleteGroup(administration, terminal, name),
  );
  administer(
    tool,
    named('add', 'add members').argument('<email...>', 'whom'),
    (administration, terminal, name: string, emails: string[]) => addToGroup(administration, terminal, name, emails),
  );
  administer(
    tool,
    named('remove', 'remove members').argument('<email...>', 'whom'),
    (administration, terminal, name: string, emails: string[]) =>
      toEach(terminal, emails, 'removed', (email) => administration.removeMember(name, email)),
  );
};

const addRequests = (tool: Tool): void => {
  const requests = tool.program.command('requests').description('what people ask for');
  const list = requests
    .command('list', { isDefault: true })
    .option('--all', 'those that were decided too')
    .description('list the requests that wait, oldest first');
  administer(tool, list, (administration, terminal, { all = false }: { all?: boolean }) =>
    showRequests(administration, terminal, all),
  );
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
    (administration, terminal, idOrEmail: string, collection: string | undefined, { until }: { until?: Instant }) =>
      approveNamed(administration, terminal, requestOf(idOrEmail, collection), until),
  );
  const deny = named('deny', 'deny a request').option('--reason <text>', 'told to who asked');
  administer(
    tool,
    deny,
    (administration, terminal, idOrEmail: string, collection: string | undefined, { reason }: { reason?: string }) =>
      denyNamed(administration, terminal, requestOf(idOrEmail, collection), reason ?? null),
  );
};

const requestOf = (idOrEmail: string, collection: string | undefined) => ({
  idOrEmail,
  ...(collection === undefined ? {} : { collection }),
});
