import { Option } from 'commander';
import type { UsageGrouping } from '@portico/domain';
import { showAudit, showUsage, type AuditQuery, type UsageQuery } from '../commands/reports.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { csvOption, momentOption, wholeNumber } from './options.ts';

const groupings = ['profile', 'collection', 'day'] as const satisfies readonly UsageGrouping[];

/** Adds the commands for usage and the audit log. */
export const addReports = (tool: Tool): void => {
  const usage = tool.program
    .command('usage')
    .description('usage counts')
    .command('list')
    .addOption(new Option('--by <subject>', 'one line for each').choices(groupings).default('profile'))
    .option('--from <date>', 'the first day (default: 30 days before the end)', momentOption)
    .option('--to <date>', 'the day after the last one (default: tomorrow)', momentOption)
    .option('--profile <email>', 'only this person')
    .option('--collection <name>', 'only the collection of this exact name')
    .addOption(csvOption())
    .description('show usage counts');
  administer(tool, usage, (api, terminal, { csv = false, ...query }: UsageQuery & { readonly csv?: boolean }) =>
    showUsage(api, terminal, query, csv),
  );
  const audit = tool.program
    .command('audit')
    .description('the audit log')
    .command('list')
    .option('--actor <email>', 'only by this person')
    .option('--action <action>', 'only this, such as access.grant')
    .option('--since <date>', 'not before this', momentOption)
    .option('--limit <count>', 'maximum entries', wholeNumber(1, 10_000), 50)
    .addOption(
      new Option('--source <source>', 'changes made here (system), or events reported by callers (client)')
        .choices(['system', 'client'])
        .default('system'),
    )
    .description('show audit entries, newest first');
  administer(tool, audit, (api, terminal, query: AuditQuery) => showAudit(api, terminal, query));
};
