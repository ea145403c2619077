import { Option } from 'commander';
import { graceSecondsMax, scopes } from '@portico/domain';
import {
  createAccount,
  listAccounts,
  revokeAccount,
  rotateAccount,
  type NewAccountOptions,
} from '../commands/service-account.ts';
import type { Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';
import { endOption, wholeNumber } from './options.ts';

/** The credentials of machines. */
export const addServiceAccounts = (tool: Tool): void => {
  const account = tool.program
    .command('service-account')
    .description('manage service accounts, the credentials of machines');
  account
    .command('create')
    .argument('<name>', 'a name that no other service account has')
    .addOption(
      new Option('--scope <scope...>', 'what it may do; may be given several times')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option(
      '--expires <time>',
      'from then on it is refused: an ISO 8601 date-time, or a date, which is its last day in UTC',
      endOption,
    )
    .description('create a service account and print its token, which is shown only this once')
    .action((name: string, options: NewAccountOptions) =>
      withPortico(tool, (portico, terminal) => createAccount(portico, terminal, name, options)),
    );
  account
    .command('list')
    .description('list the service accounts with their scopes')
    .action(() => withPortico(tool, listAccounts));
  account
    .command('rotate')
    .argument('<name>', 'its name')
    .option('--grace <seconds>', 'how long the previous token stays valid', wholeNumber(0, graceSecondsMax), 0)
    .description("replace a service account's token and print the new one")
    .action((name: string, { grace }: { grace: number }) =>
      withPortico(tool, (portico, terminal) => rotateAccount(portico, terminal, name, grace)),
    );
  account
    .command('revoke')
    .argument('<name>', 'its name')
    .description('revoke a service account at once and for good')
    .action((name: string) => withPortico(tool, (portico, terminal) => revokeAccount(portico, terminal, name)));
};
