import { Option } from 'commander';
import { approvePeople, listPeople, resumePeople, suspendPeople, type PeopleOptions } from '../commands/people.ts';
import { promoteAdmin } from '../commands/promote.ts';
import type { Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';
import { administer } from './administer.ts';

/** Adds the commands for registered people. */
export const addPeople = (tool: Tool): void => {
  const people = tool.program.command('people').description('registered people: approve, suspend, make admins');
  const list = people
    .command('list')
    .description('list the registered people, oldest first')
    .option('--pending', 'only people awaiting approval')
    .option('--suspended', 'only suspended people')
    .addOption(
      new Option('--admins', 'only admins, with their ids and whether each is bound to a token').conflicts([
        'pending',
        'suspended',
      ]),
    );
  administer(tool, list, (api, terminal, options: PeopleOptions) => listPeople(api, terminal, options));
  const approve = people
    .command('approve')
    .argument('[email...]', 'email addresses of people awaiting approval')
    .option('--all-pending', 'everyone pending')
    .description('approve registrations and print the new API keys, which are shown only this once');
  administer(tool, approve, (api, terminal, emails: string[], { allPending }: { allPending?: true }) => {
    if (Boolean(allPending) === emails.length > 0)
      approve.error('error: pass email addresses, or --all-pending instead');
    return approvePeople(api, terminal, allPending ? 'all pending' : emails);
  });
  const suspend = people
    .command('suspend')
    .argument('<email...>', 'email addresses')
    .option('--reason <text>', 'the reason, for the audit log and the email to these people')
    .description('deny these people access as of their next request; nothing is deleted');
  administer(tool, suspend, (api, terminal, emails: string[], { reason }: { reason?: string }) =>
    suspendPeople(api, terminal, emails, reason),
  );
  const resume = people
    .command('resume')
    .argument('<email...>', 'email addresses')
    .description('restore the previous access of suspended people');
  administer(tool, resume, resumePeople);
  people
    .command('promote')
    .argument('<email>', 'the email address of a registered profile')
    .description('make a registered profile an admin; this approves a pending one')
    .action((email: string) => withPortico(tool, (portico, terminal) => promoteAdmin(portico, terminal, email)));
};
