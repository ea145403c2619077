import type { Command } from 'commander';
import { graceSecondsMax, type Instant } from '@portico/domain';
import { approvePeople, expireKeyOf, listPeople, rotateKeyOf, toEach } from '../commands/people.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { endOrNever, wholeNumber } from './options.ts';

/** Who is registered, and whether they are let in. */
export const addPeople = (tool: Tool): void => {
  const { program } = tool;
  const list = program
    .command('profiles')
    .description('who is registered')
    .command('list')
    .description('list the registered people, oldest first')
    .option('--pending', 'only those who wait for approval')
    .option('--suspended', 'only those who are suspended');
  administer(tool, list, listPeople);
  const approve = program
    .command('approve')
    .argument('[email...]', 'e-mails of people who wait')
    .option('--all-pending', 'everybody who waits')
    .description('approve registrations and print the API key of each, which is shown only this once');
  administer(tool, approve, (administration, terminal, emails: string[], { allPending }: { allPending?: true }) => {
    if (Boolean(allPending) === emails.length > 0) approve.error('error: pass e-mails, or --all-pending instead');
    return approvePeople(administration, terminal, allPending ? 'all pending' : emails);
  });
  const suspend = program
    .command('suspend')
    .argument('<email...>', 'whom')
    .option('--reason <text>', 'for the audit log and the mail to them')
    .description('let nobody in as these people from the next request on; they lose nothing');
  administer(tool, suspend, (administration, terminal, emails: string[], { reason }: { reason?: string }) =>
    toEach(terminal, emails, 'suspended', (email) => administration.suspend(email, reason ?? null)),
  );
  const resume = program
    .command('resume')
    .argument('<email...>', 'whom')
    .description('let suspended people in again, with all that they had');
  administer(tool, resume, (administration, terminal, emails: string[]) =>
    toEach(terminal, emails, 'resumed', (email) => administration.resume(email)),
  );
};

/** What an administrator does to the API key of a person. */
export const addKeyOfPerson = (tool: Tool, key: Command): void => {
  const rotate = key
    .command('rotate')
    .argument('<email>', 'whose')
    .option('--grace <seconds>', 'how long the previous secret stays valid', wholeNumber(0, graceSecondsMax), 0)
    .description("replace a person's API secret and print the new key");
  administer(tool, rotate, (administration, terminal, email: string, { grace }: { grace: number }) =>
    rotateKeyOf(administration, terminal, email, grace),
  );
  const expire = key
    .command('expire')
    .argument('<email>', 'whose')
    .argument('<date>', 'its last day, as 2027-01-31; or a date-time, or "never"', endOrNever)
    .description("say when a person's API key ends");
  administer(tool, expire, (administration, terminal, email: string, at: Instant | null) =>
    expireKeyOf(administration, terminal, email, at),
  );
};
