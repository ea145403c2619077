import { Option } from 'commander';
import type { Instant, UsageGrouping } from '@portico/domain';
import type { AuditQuery, UsageQuery } from '../administration/administration.ts';
import { showAudit, showUsage } from '../commands/reports.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { csvOption, momentOption, wholeNumber } from './options.ts';

const groupings = ['profile', 'collection', 'day'] as const satisfies readonly UsageGrouping[];

/** Who used what, and who changed what. */
export const addReports = (tool: Tool): void => {
  const usage = tool.program
    .command('usage')
    .addOption(new Option('--by <what>', 'what a line is about').choices(groupings).default('profile'))
    .option('--from <date>', 'the first day (default: 30 days before the end)', momentOption)
    .option('--to <date>', 'the day after the last one (default: tomorrow)', momentOption)
    .option('--profile <email>', 'only this person')
    .option('--collection <name>', 'only the collection of this exact name')
    .addOption(csvOption())
    .description('show who used what, and how often');
  administer(
    tool,
    usage,
    (administration, terminal, { csv = false, ...query }: UsageQuery & { readonly csv?: boolean }) =>
      showUsage(administration, terminal, query, csv),
  );
  const audit = tool.program
    .command('audit')
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
  administer(tool, audit, (administration, terminal, query: AuditOptions) =>
    showAudit(administration, terminal, query),
  );
};

interface AuditOptions extends AuditQuery {
  readonly since?: Instant;
}
