import { Option, type Command } from 'commander';
import type { Instant } from '@portico/domain';
import { grantPairs, revokePairs, showAccess, type AccessFilter, type Pairs } from '../commands/access.ts';
import { addGroup, addToGroup, deleteGroup, removeFromGroup, showGroup, showGroups } from '../commands/groups.ts';
import { setRule, type RuleOptions } from '../commands/grant-rule.ts';
import { approveRequest, denyRequest, showRequests } from '../commands/requests.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { addCollections } from './collections.ts';
import {
  createCsvOption,
  parseExpiryOption,
  parseExpiryOrNever,
  parseListOption,
  parseOperationsOption,
  parseTimeOption,
} from './options.ts';

/** Adds the commands for collections, grants, groups and requests. */
export const addAccess = (tool: Tool): void => {
  addCollections(tool);
  addGrants(tool, tool.program.command('access').description('grants, when they expire, and their rules'));
  addGroups(tool);
  addRequests(tool);
};

interface PairOptions {
  readonly to?: string[];
  readonly from?: string[];
  readonly group?: string[];
  readonly collections: string[];
}

const addGrants = (tool: Tool, access: Command): void => {
  addList(tool, access);
  const addPairOptions = (command: Command, option: string): Command =>
    command
      .option(`--${option} <email...>`, 'email addresses of people')
      .option('--group <name...>', 'names of groups')
      .requiredOption('--collections <name...>', 'exact names of collections, or ids');
  const grant = addPairOptions(access.command('grant'), 'to')
    .option(
      '--until <date>',
      'the last day of access; or a date-time; or "never", which removes the expiry',
      parseExpiryOrNever,
    )
    .description('grant these people and groups access to these collections');
  administer(tool, grant, (api, terminal, options: PairOptions & { readonly until?: Instant | null }) =>
    grantPairs(api, terminal, pairsOf(grant, options), options.until),
  );
  const revoke = addPairOptions(access.command('revoke'), 'from').description(
    'revoke these collections from these people and groups; access through other groups remains',
  );
  // The option of "grant" is also accepted, so that a "grant" command line is easily turned into a "revoke" one.
  revoke.addOption(new Option('--to <email...>').hideHelp());
  administer(tool, revoke, (api, terminal, options: PairOptions) =>
    revokePairs(api, terminal, pairsOf(revoke, options)),
  );
  addRule(tool, access);
};

const addRule = (tool: Tool, access: Command): void => {
  const rule = access
    .command('rule')
    .argument('<email>', 'the person; or, with --group, the group')
    .argument('<collection>', 'its exact name, or its id')
    .option('--group', 'the grant is that of a group')
    .option('--operations <list>', 'that may be called: all, read-only, or a list', parseOperationsOption)
    .option('--except <list>', 'that may not be called', parseListOption)
    .option('--ask <list>', 'whose calls need a decision', parseListOption)
    .description('change the rule of a grant; lists are keys, or such as "GET /pets", separated by commas');
  administer(
    tool,
    rule,
    (api, terminal, name: string, collection: string, { group, ...parts }: RuleOptions & { group?: boolean }) => {
      if (Object.keys(parts).length === 0) rule.error('error: pass --operations, --except or --ask');
      return setRule(api, terminal, group ? { group: name } : { email: name }, collection, parts);
    },
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
    .option('--group <name>', 'only access through this group')
    .option('--collection <name>', 'only collections with exactly this name')
    .option('--expiring-before <date>', 'only access that expires before this date', parseTimeOption)
    .addOption(createCsvOption())
    .description('show who has access, how, and until when');
  administer(tool, list, (api, terminal, { csv = false, ...filter }: AccessFilter & { readonly csv?: boolean }) =>
    showAccess(api, terminal, filter, csv),
  );
};

const addGroups = (tool: Tool): void => {
  const groups = tool.program.command('groups').description("groups of people; each member has the group's grants");
  administer(tool, groups.command('list').description('list the groups'), showGroups);
  const groupCommand = (verb: string, description: string): Command =>
    groups.command(verb).argument('<name>', 'the name of the group').description(description);
  administer(tool, groupCommand('show', 'show its members and collections'), showGroup);
  const add = groupCommand('add', 'create a group')
    .option('--description <text>', 'its purpose', '')
    .option('--tier <name>', 'the rate-limit tier of members without their own tier');
  administer(tool, add, (api, terminal, name: string, options: { description: string; tier?: string }) =>
    addGroup(api, terminal, { name, description: options.description, tier: options.tier ?? null }),
  );
  const remove = groupCommand('delete', 'delete a group; its members lose access that they have only through it');
  administer(tool, remove, deleteGroup);
  administer(tool, groupCommand('add-member', 'add members').argument('<email...>', 'email addresses'), addToGroup);
  administer(
    tool,
    groupCommand('remove-member', 'remove members').argument('<email...>', 'email addresses'),
    removeFromGroup,
  );
};

const addRequests = (tool: Tool): void => {
  const requests = tool.program.command('requests').description('access requests');
  const list = requests
    .command('list')
    .option('--all', 'include decided requests')
    .description('list the pending requests, oldest first');
  administer(tool, list, (api, terminal, { all = false }: { all?: boolean }) => showRequests(api, terminal, all));
  const requestCommand = (name: string, description: string): Command =>
    requests
      .command(name)
      .argument('<email>', "the requester's email address, or the request's id")
      .argument('[collection]', 'the collection, if this person has several pending requests')
      .description(description);
  const approve = requestCommand('approve', 'approve a request and grant the access').option(
    '--until <date>',
    'the last day of access (default: after the requested days, if any)',
    parseExpiryOption,
  );
  administer(
    tool,
    approve,
    (api, terminal, idOrEmail: string, collection: string | undefined, { until }: { until?: Instant }) =>
      approveRequest(api, terminal, { idOrEmail, collection }, until),
  );
  const deny = requestCommand('deny', 'deny a request').option(
    '--reason <text>',
    'the reason, which is shown to the requester',
  );
  administer(
    tool,
    deny,
    (api, terminal, idOrEmail: string, collection: string | undefined, { reason }: { reason?: string }) =>
      denyRequest(api, terminal, { idOrEmail, collection }, reason),
  );
};
