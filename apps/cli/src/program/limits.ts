import type { LimitRule } from '@portico/domain';
import { toEach } from '../commands/people.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { ruleOption } from './options.ts';

/** How many requests people may send. */
export const addLimits = (tool: Tool): void => {
  const tier = tool.program.command('tier').description('rate limits by name');
  const set = tier
    .command('set')
    .argument('<name>', 'made of a-z, 0-9, "_" and "-"')
    .requiredOption('--limit <requests/seconds>', 'as 600/60', ruleOption)
    .option('--description <text>', 'what it is for')
    .description('create a tier, or change the one of this name');
  administer(
    tool,
    set,
    async (administration, terminal, name: string, options: { limit: LimitRule; description?: string }) => {
      const outcome = await administration.setTier(name, options.limit, options.description);
      const { allowed, windowSeconds } = options.limit;
      terminal.result({ outcome, tier: name, allowed_limit: allowed, window_seconds: windowSeconds }, [
        `${outcome}  ${name}  ${allowed} requests in ${windowSeconds} s`,
      ]);
      return true;
    },
  );
  const assign = tier
    .command('assign')
    .argument('<name>', 'the tier; "none" takes it away')
    .argument('<email...>', 'whose')
    .description('give people a tier');
  administer(tool, assign, (administration, terminal, name: string, emails: string[]) =>
    toEach(terminal, emails, name, (email) => administration.assignTier(email, name === 'none' ? null : name)),
  );
  const override = tool.program
    .command('limit')
    .description('limits of single people')
    .command('override')
    .argument('<email>', 'whose')
    .argument('<requests/seconds>', 'as 1000/60', ruleOption)
    .description('give one person a limit of its own');
  administer(tool, override, (administration, terminal, email: string, rule: LimitRule) =>
    toEach(terminal, [email], 'overridden', () => administration.override(email, rule)),
  );
};
