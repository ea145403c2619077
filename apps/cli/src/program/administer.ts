import type { Command } from 'commander';
import type { AllDone } from '../commands/outcomes.ts';
import type { Api } from '../server/api.ts';
import { apiInProcess } from '../server/in-process.ts';
import { exitCodes, type Terminal } from '../terminal.ts';
import { actAt, type Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';

/**
 * Sets the action of an administrator's command. The action uses the API of a server, or of an in-process application
 * that works on the stores. The command fails unless everything was done.
 */
export const administer = <Args extends readonly unknown[]>(
  tool: Tool,
  command: Command,
  work: (api: Api, terminal: Terminal, ...args: Args) => Promise<AllDone>,
): void => {
  const end = (allDone: AllDone): void => {
    if (!allDone) tool.setExitCode(exitCodes.failure);
  };
  actAt<Args>(tool, command, {
    stores: (...args) =>
      withPortico(tool, async (portico, terminal) => end(await work(await apiInProcess(portico), terminal, ...args))),
    server: async ({ api }, ...args) => end(await work(api, tool.terminal(), ...args)),
  });
};
