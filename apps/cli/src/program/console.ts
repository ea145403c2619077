import { readConfig } from '@portico/composition';
import { browserAddress, consoleUser, openConsole, requireLocalIssuer } from '../commands/console.ts';
import type { Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';
import { groupsOption, wholeNumber } from './options.ts';

interface ConsoleOptions {
  readonly uid?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
  readonly minutes: number;
}

/** Adds the command that signs a browser in. */
export const addConsole = (tool: Tool): void => {
  const { program, environment } = tool;
  const command = program
    .command('console')
    .description(
      'print a link that opens the console in a browser and signs you in as the admin of the local issuer; it works once',
    )
    .option('--uid <uid>', 'sign in as this user of the local issuer instead (`sub`)')
    .option('--email <email>', "that user's e-mail")
    .addOption(groupsOption())
    .option('--minutes <count>', 'how long the link works', wholeNumber(1, 1_440), 10)
    .addHelpText(
      'after',
      `
Only while the service is its own identity provider (IDENTITY_LOCAL). The link leads to PUBLIC_URL if that is set, else to
the address at which the service listens. In the Compose stack:

  docker compose exec http portico console`,
    )
    .action(async ({ minutes, ...user }: ConsoleOptions) => {
      if (user.email && !user.uid) command.error('error: pass --uid UID with --email');
      const config = readConfig(environment);
      const address = browserAddress(config, environment);
      requireLocalIssuer(config, address);
      await withPortico(tool, (portico, terminal) =>
        openConsole(portico, terminal, consoleUser(config, user), { address, minutes }),
      );
    });
};
