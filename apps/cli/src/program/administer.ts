import type { Command } from 'commander';
import type { AllDone } from '../commands/outcomes.ts';
import type { Api } from '../server/api.ts';
import { createInProcessApi } from '../server/in-process.ts';
import { exitCodes, type Terminal } from '../terminal.ts';
import { setServerAction, type Tool } from '../tool.ts';
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
  const setResult = (isAllDone: AllDone): void => {
    if (!isAllDone) tool.setExitCode(exitCodes.failure);
  };
  setServerAction<Args>(tool, command, {
    runOnStores: (...args) =>
      withPortico(tool, async (portico, terminal) =>
        setResult(await work(await createInProcessApi(portico), terminal, ...args)),
      ),
    runOnServer: async ({ api }, ...args) => setResult(await work(api, tool.getTerminal(), ...args)),
  });
};
