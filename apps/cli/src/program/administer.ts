import type { Command } from 'commander';
import type { Administration } from '../administration/administration.ts';
import { administrationOnStores } from '../administration/on-stores.ts';
import { administrationOverHttp } from '../administration/over-http.ts';
import type { AllDone } from '../commands/outcomes.ts';
import { exitCodes, type Terminal } from '../terminal.ts';
import { actAt, type Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';

/** Sets the action of a command of administrators, on the stores and over HTTP; it fails unless all was done. */
export const administer = <Args extends readonly unknown[]>(
  tool: Tool,
  command: Command,
  work: (administration: Administration, terminal: Terminal, ...args: Args) => Promise<AllDone>,
): void => {
  const end = (allDone: AllDone): void => {
    if (!allDone) tool.endWith(exitCodes.failure);
  };
  actAt<Args>(tool, command, {
    stores: (...args) =>
      withPortico(tool, async (portico, terminal) =>
        end(await work(administrationOnStores(portico), terminal, ...args)),
      ),
    server: async ({ server }, ...args) => end(await work(administrationOverHttp(server), tool.terminal(), ...args)),
  });
};
