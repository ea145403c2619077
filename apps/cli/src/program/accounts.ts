import { Option } from 'commander';
import { graceSecondsMax, scopes } from '@portico/domain';
import {
  addAccount,
  deleteAccount,
  listAccounts,
  rotateAccount,
  type NewAccountOptions,
} from '../commands/accounts.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { parseExpiryOption, createIntegerParser } from './options.ts';

/** Adds the commands for service accounts. */
export const addAccounts = (tool: Tool): void => {
  const accounts = tool.program.command('accounts').description('service accounts for machines');
  const add = accounts
    .command('add')
    .argument('<name>', 'a unique name')
    .addOption(new Option('--scope <scope...>', 'a permission; can be repeated').choices(scopes).makeOptionMandatory())
    .option(
      '--expires <time>',
      'when it expires: an ISO 8601 date-time, or a date, which is the last day (UTC)',
      parseExpiryOption,
    )
    .description('create a service account and print its token, which is shown only this once');
  administer(tool, add, (api, terminal, name: string, options: NewAccountOptions) =>
    addAccount(api, terminal, name, options),
  );
  administer(tool, accounts.command('list').description('list the service accounts with their scopes'), listAccounts);
  const rotate = accounts
    .command('rotate')
    .argument('<name>', 'its name')
    .option(
      '--grace <seconds>',
      'how long the previous token remains valid',
      createIntegerParser(0, graceSecondsMax),
      0,
    )
    .description("replace a service account's token and print the new one");
  administer(tool, rotate, (api, terminal, name: string, { grace }: { grace: number }) =>
    rotateAccount(api, terminal, name, grace),
  );
  const remove = accounts
    .command('delete')
    .argument('<name>', 'its name')
    .description('revoke a service account immediately and permanently');
  administer(tool, remove, deleteAccount);
};
