import { Option } from 'commander';
import type { UsageGrouping } from '@portico/domain';
import { showAudit, showUsage, type AuditQuery, type UsageQuery } from '../commands/reports.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { csvOption, momentOption, wholeNumber } from './options.ts';

const groupings = ['profile', 'collection', 'day'] as const satisfies readonly UsageGrouping[];

/** Who used what, and who changed what. */
export const addReports = (tool: Tool): void => {
  const usage = tool.program
    .command('usage')
    .description('who used what')
    .command('list')
    .addOption(new Option('--by <what>', 'what a line is about').choices(groupings).default('profile'))
    .option('--from <date>', 'the first day (default: 30 days before the end)', momentOption)
    .option('--to <date>', 'the day after the last one (default: tomorrow)', momentOption)
    .option('--profile <email>', 'only this person')
    .option('--collection <name>', 'only the collection of this exact name')
    .addOption(csvOption())
    .description('show who used what, and how often');
  administer(tool, usage, (api, terminal, { csv = false, ...query }: UsageQuery & { readonly csv?: boolean }) =>
    showUsage(api, terminal, query, csv),
  );
  const audit = tool.program
    .command('audit')
    .description('who changed what')
    .command('list')
    .option('--actor <email>', 'only what this person did')
    .option('--action <action>', 'only this, such as access.grant')
    .option('--since <date>', 'not before this', momentOption)
    .option('--limit <count>', 'at most so many', wholeNumber(1, 10_000), 50)
    .addOption(
      new Option('--source <source>', 'what was changed here (system), or what callers report themselves (client)')
        .choices(['system', 'client'])
        .default('system'),
    )
    .description('show who changed what, the newest first');
  administer(tool, audit, (api, terminal, query: AuditQuery) => showAudit(api, terminal, query));
};
