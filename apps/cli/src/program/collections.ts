import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  deleteCredentials,
  listCredentials,
  setCollection,
  setCredential,
  setDelivery,
  type CredentialOptions,
  type DeliveryOptions,
  type SubjectOptions,
} from '../commands/collection-settings.ts';
import { deleteCollections, showCollections } from '../commands/collections.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { addRevisions } from './revisions.ts';
import { addLifecycle } from './lifecycle.ts';

/** Adds the commands for collections, their settings and their credentials. */
export const addCollections = (tool: Tool): void => {
  const collections = tool.program.command('collections').description('the APIs of the catalog');
  const list = collections
    .command('list')
    .argument('[name]', 'only names that contain this text, ignoring case')
    .description('list the collections with their ids, sorted by name');
  administer(tool, list, (api, terminal, name: string | undefined) => showCollections(api, terminal, name));
  addSettings(tool, collections);
  addCredentials(tool, collections);
  addRevisions(tool, collections);
  addLifecycle(tool, collections);
  const remove = collections
    .command('delete')
    .argument('<id...>', 'the ids of collections, as shown by "collections list"')
    .description('permanently delete collections, with all of their grants');
  administer(tool, remove, deleteCollections);
};

const collectionArgument = ['<collection>', 'its exact name, or its id'] as const;

type Variables = Readonly<Record<string, string>>;

interface SettingsOptions {
  /** False for `--no-base-url`. */
  readonly baseUrl?: string | false;
  readonly variables?: Variables | false;
}

const addSettings = (tool: Tool, collections: Command): void => {
  const set = collections
    .command('set')
    .argument(...collectionArgument)
    .option('--base-url <url>', "for calls, instead of the document's servers")
    .option('--no-base-url', 'remove it')
    .option('--variables <name=value...>', 'values of server variables; replaces all', parseVariable)
    .option('--no-variables', 'remove them')
    .description('set the base URL and the server variables');
  administer(tool, set, (api, terminal, collection: string, { baseUrl, variables }: SettingsOptions) => {
    if (baseUrl === undefined && variables === undefined)
      set.error('error: pass --base-url, --variables, --no-base-url or --no-variables');
    return setCollection(api, terminal, collection, {
      baseUrl: baseUrl === false ? null : baseUrl,
      variables: variables === false ? null : variables,
    });
  });
};

const parseVariable = (text: string, earlier: Variables | boolean | undefined): Variables => {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be NAME=VALUE, such as region=eu.');
  return { ...(typeof earlier === 'object' ? earlier : {}), [name]: value };
};

const groupOption = ['--group <name>', 'for this group'] as const;
const createProfileOption = (): Option => new Option('--profile <email>', 'for this profile').conflicts(['group']);

const addCredentials = (tool: Tool, collections: Command): void => {
  const set = collections
    .command('set-credential')
    .argument(...collectionArgument)
    .argument('<scheme>', 'its name in the document')
    .option('--username <name>', 'for basic authentication, with a password')
    .addOption(new Option('--client-id <id>', 'for OAuth 2.0, with a client secret').conflicts(['username']))
    .option('--file <file>', 'the file with the secret (default: standard input)')
    .option(...groupOption)
    .addOption(createProfileOption())
    .description('store the credential for a security scheme');
  administer(tool, set, (api, terminal, collection: string, scheme: string, options: CredentialOptions) =>
    setCredential(api, terminal, collection, scheme, options),
  );
  const list = collections
    .command('list-credentials')
    .argument(...collectionArgument)
    .description('list the schemes that have a credential');
  administer(tool, list, (api, terminal, collection: string) => listCredentials(api, terminal, collection));
  const remove = collections
    .command('delete-credential')
    .argument(...collectionArgument)
    .argument('<scheme...>', 'their names')
    .option(...groupOption)
    .addOption(createProfileOption())
    .description('remove credentials');
  administer(tool, remove, (api, terminal, collection: string, schemes: string[], options: SubjectOptions) =>
    deleteCredentials(api, terminal, collection, schemes, options),
  );
  const delivery = collections
    .command('set-delivery')
    .argument(...collectionArgument)
    .addOption(new Option('--delivery <delivery>', 'whether clients read credentials').choices(['reveal', 'call']))
    .option('--own-credentials', 'clients may store their own')
    .option('--no-own-credentials', 'they may not')
    .description('set how credentials are used');
  administer(tool, delivery, (api, terminal, collection: string, options: DeliveryOptions) => {
    if (options.delivery === undefined && options.ownCredentials === undefined)
      delivery.error('error: pass --delivery, --own-credentials or --no-own-credentials');
    return setDelivery(api, terminal, collection, options);
  });
};
