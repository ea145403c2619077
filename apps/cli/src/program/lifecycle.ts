import { type Command } from 'commander';
import {
  setLifecycle,
  setOwner,
  setTags,
  showCollection,
  type LifecycleOptions,
  type OwnerOptions,
} from '../commands/collection-lifecycle.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';

const collectionArgument = ['<collection>', 'its exact name, or its id'] as const;

/** Adds the commands that say which collections to use, who decides about them, and how they are found. */
export const addLifecycle = (tool: Tool, collections: Command): void => {
  const show = collections
    .command('show')
    .argument(...collectionArgument)
    .description('show a collection: its lifecycle, owner and tags');
  administer(tool, show, (api, terminal, collection: string) => showCollection(api, terminal, collection));
  addStates(tool, collections);
  const owner = collections
    .command('owner')
    .argument(...collectionArgument)
    .option('--group <name>', 'whose members become owners')
    .option('--none', 'only administrators decide')
    .description('set the group whose members decide about a collection');
  administer(tool, owner, (api, terminal, collection: string, options: OwnerOptions) => {
    if ((options.group === undefined) === (options.none === undefined)) owner.error('error: pass --group or --none');
    return setOwner(api, terminal, collection, options);
  });
  const tags = collections
    .command('tags')
    .argument(...collectionArgument)
    .argument('[tag...]', 'all tags, in their order; none removes them')
    .description('set the tags of a collection');
  administer(tool, tags, (api, terminal, collection: string, list: string[]) =>
    setTags(api, terminal, collection, list),
  );
};

const addStates = (tool: Tool, collections: Command): void => {
  const addDetails = (command: Command) =>
    command
      .argument(...collectionArgument)
      .option('--since <date>', 'when it was or will be deprecated (default: now)')
      .option('--sunset <date>', 'when it stops working; the last day')
      .option('--successor <collection>', 'the name or id of the collection to use instead')
      .option('--text <text>', 'a note for callers');
  const deprecate = addDetails(collections.command('deprecate')).description(
    'announce that callers should use another one',
  );
  administer(tool, deprecate, (api, terminal, collection: string, options: LifecycleOptions) =>
    setLifecycle(api, terminal, collection, 'deprecated', options),
  );
  const retire = addDetails(collections.command('retire')).description(
    'let a deprecated collection be neither found nor called any more',
  );
  administer(tool, retire, (api, terminal, collection: string, options: LifecycleOptions) =>
    setLifecycle(api, terminal, collection, 'retired', options),
  );
  const activate = collections
    .command('activate')
    .argument(...collectionArgument)
    .description('end a deprecation or retirement');
  administer(tool, activate, (api, terminal, collection: string) =>
    setLifecycle(api, terminal, collection, 'active', {}),
  );
};
