import { Option } from 'commander';
import type { UsageGrouping } from '@portico/domain';
import { showAudit, showUsage, type AuditQuery, type UsageQuery } from '../commands/reports.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { createCsvOption, parseTimeOption, createIntegerParser } from './options.ts';

const groupings = ['profile', 'collection', 'operation', 'day'] as const satisfies readonly UsageGrouping[];

/** Adds the commands for usage and the audit log. */
export const addReports = (tool: Tool): void => {
  const usage = tool.program
    .command('usage')
    .description('usage counts')
    .command('list')
    .addOption(new Option('--by <subject>', 'group by').choices(groupings).default('profile'))
    .option('--from <date>', 'the first day (default: 30 days before the end)', parseTimeOption)
    .option('--to <date>', 'the day after the last one (default: tomorrow)', parseTimeOption)
    .option('--profile <email>', 'only this person')
    .option('--collection <name>', 'only the collection with exactly this name')
    .addOption(createCsvOption())
    .description('show usage counts');
  administer(tool, usage, (api, terminal, { csv = false, ...query }: UsageQuery & { readonly csv?: boolean }) =>
    showUsage(api, terminal, query, csv),
  );
  const audit = tool.program
    .command('audit')
    .description('the audit log')
    .command('list')
    .option('--actor <email>', 'only entries by this person')
    .option('--action <action>', 'only this action, such as access.grant')
    .option('--since <date>', 'only entries since this date', parseTimeOption)
    .option('--limit <count>', 'maximum entries', createIntegerParser(1, 10_000), 50)
    .addOption(
      new Option('--source <source>', 'changes made by the service (system), or events reported by callers (client)')
        .choices(['system', 'client'])
        .default('system'),
    )
    .description('show audit entries, newest first');
  administer(tool, audit, (api, terminal, query: AuditQuery) => showAudit(api, terminal, query));
};
