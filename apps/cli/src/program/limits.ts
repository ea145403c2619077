import type { LimitRule } from '@portico/domain';
import { assignTier, overrideLimit, setTier } from '../commands/limits.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';
import { ruleOption } from './options.ts';

/** Adds the commands for tiers and overrides, which limit the number of requests that people may send. */
export const addLimits = (tool: Tool): void => {
  const limits = tool.program.command('limits').description('how many requests people may send: tiers and overrides');
  const set = limits
    .command('set-tier')
    .argument('<name>', 'made of a-z, 0-9, "_" and "-"')
    .requiredOption('--limit <requests/seconds>', 'as 600/60', ruleOption)
    .option('--description <text>', 'its purpose')
    .description('create a tier, or change an existing one');
  administer(tool, set, (api, terminal, name: string, options: { limit: LimitRule; description?: string }) =>
    setTier(api, terminal, name, options),
  );
  const assign = limits
    .command('assign')
    .argument('<tier>', 'its name; "none" removes the tier')
    .argument('<email...>', 'e-mails')
    .description('give people a tier');
  administer(tool, assign, assignTier);
  const override = limits
    .command('override')
    .argument('<email>', 'e-mail')
    .argument('<requests/seconds>', 'as 1000/60', ruleOption)
    .description('give one person a separate limit');
  administer(tool, override, overrideLimit);
};
