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
import { expiryOption, wholeNumber } from './options.ts';

/** Adds the commands for service accounts. */
export const addAccounts = (tool: Tool): void => {
  const accounts = tool.program.command('accounts').description('service accounts, the credentials of machines');
  const add = accounts
    .command('add')
    .argument('<name>', 'a name that no other service account has')
    .addOption(new Option('--scope <scope...>', 'a permission; may be repeated').choices(scopes).makeOptionMandatory())
    .option(
      '--expires <time>',
      'when it expires: an ISO 8601 date-time, or a date, which is its last day in UTC',
      expiryOption,
    )
    .description('create a service account and print its token, which is shown only this once');
  administer(tool, add, (api, terminal, name: string, options: NewAccountOptions) =>
    addAccount(api, terminal, name, options),
  );
  administer(tool, accounts.command('list').description('list the service accounts with their scopes'), listAccounts);
  const rotate = accounts
    .command('rotate')
    .argument('<name>', 'its name')
    .option('--grace <seconds>', 'how long the previous token stays valid', wholeNumber(0, graceSecondsMax), 0)
    .description("replace a service account's token and print the new one");
  administer(tool, rotate, (api, terminal, name: string, { grace }: { grace: number }) =>
    rotateAccount(api, terminal, name, grace),
  );
  const remove = accounts
    .command('delete')
    .argument('<name>', 'its name')
    .description('revoke a service account now and for good');
  administer(tool, remove, deleteAccount);
};
