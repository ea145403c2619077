import type { LimitRule } from '@portico/domain';
import { assignTier, overrideLimit, setTier } from '../commands/limits.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { parseRuleOption } from './options.ts';

/** Adds the commands for tiers and overrides, which limit the number of requests that people may send. */
export const addLimits = (tool: Tool): void => {
  const limits = tool.program.command('limits').description('how many requests people may send: tiers and overrides');
  const set = limits
    .command('set-tier')
    .argument('<name>', 'the name of the tier, of a-z, 0-9, "_" and "-"')
    .requiredOption('--limit <requests/seconds>', 'as 600/60', parseRuleOption)
    .option('--description <text>', 'its purpose')
    .description('create a tier, or change an existing one');
  administer(tool, set, (api, terminal, name: string, options: { limit: LimitRule; description?: string }) =>
    setTier(api, terminal, name, options),
  );
  const assign = limits
    .command('assign')
    .argument('<tier>', 'the name of the tier; "none" removes the current one')
    .argument('<email...>', 'email addresses')
    .description('assign a tier to people');
  administer(tool, assign, assignTier);
  const override = limits
    .command('override')
    .argument('<email>', 'email address')
    .argument('<requests/seconds>', 'as 1000/60', parseRuleOption)
    .description('set a separate limit for one person');
  administer(tool, override, overrideLimit);
};
