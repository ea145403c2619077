import { approveCall, denyCall, showCall, showCalls } from '../commands/calls.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';

/** Adds the commands for calls that need a decision. */
export const addCalls = (tool: Tool): void => {
  const calls = tool.program.command('calls').description('calls that need a decision');
  const list = calls
    .command('list')
    .option('--all', 'include decided calls')
    .description('list the waiting calls, oldest first');
  administer(tool, list, (api, terminal, { all = false }: { all?: boolean }) => showCalls(api, terminal, all));
  const callCommand = (name: string, description: string) =>
    calls.command(name).argument('<id>', "its id, or the caller's email address").description(description);
  administer(tool, callCommand('show', 'show a call with its arguments'), showCall);
  administer(tool, callCommand('approve', 'let the caller make the call once, within an hour'), approveCall);
  const deny = callCommand('deny', 'deny a call').option('--reason <text>', 'the reason, which is shown to the caller');
  administer(tool, deny, (api, terminal, id: string, { reason }: { reason?: string }) =>
    denyCall(api, terminal, id, reason),
  );
};
