import { InvalidArgumentError, type Command } from 'commander';
import { restoreRevision, showDifference, showRevisions, type DiffOptions } from '../commands/revisions.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';

const collectionArgument = ['<collection>', 'its exact name, or its id'] as const;

/** Adds the commands for the revisions of documents. */
export const addRevisions = (tool: Tool, collections: Command): void => {
  const list = collections
    .command('revisions')
    .argument(...collectionArgument)
    .description('list the documents that a collection has had, newest first');
  administer(tool, list, (api, terminal, collection: string) => showRevisions(api, terminal, collection));
  const diff = collections
    .command('diff')
    .argument(...collectionArgument)
    .option('--from <number>', 'the earlier revision (default: the one before)', parseNumber)
    .option('--to <number>', 'the later revision (default: the current one)', parseNumber)
    .description('show the changes between two revisions');
  administer(tool, diff, (api, terminal, collection: string, options: DiffOptions) =>
    showDifference(api, terminal, collection, options),
  );
  const restore = collections
    .command('restore')
    .argument(...collectionArgument)
    .argument('<revision>', 'its number, as shown by "collections revisions"', parseNumber)
    .description('make a revision the current document again');
  administer(tool, restore, (api, terminal, collection: string, revision: number) =>
    restoreRevision(api, terminal, collection, revision),
  );
};

const parseNumber = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be the number of a revision, such as 3.');
  return Number(text);
};
