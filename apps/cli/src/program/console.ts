import { readConfig } from '@portico/composition';
import { resolveBrowserUrl, resolveConsoleUser, openConsole, requireLocalIssuer } from '../commands/console.ts';
import type { Tool } from '../tool.ts';
import { withPortico } from '../with-portico.ts';
import { createGroupsOption, createIntegerParser } from './options.ts';

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
    .option('--email <email>', "that user's email address")
    .addOption(createGroupsOption())
    .option('--minutes <count>', 'how long the link works', createIntegerParser(1, 1_440), 10)
    .addHelpText(
      'after',
      `
Works only while the service is its own identity provider (IDENTITY_LOCAL). The link opens PUBLIC_URL if set, otherwise
the address that the service listens on. In the Compose stack:

  docker compose exec http portico console`,
    )
    .action(async ({ minutes, ...user }: ConsoleOptions) => {
      if (user.email && !user.uid) command.error('error: pass --uid UID with --email');
      const config = readConfig(environment);
      const serviceUrl = resolveBrowserUrl(config, environment);
      requireLocalIssuer(config, serviceUrl);
      await withPortico(tool, (portico, terminal) =>
        openConsole(portico, terminal, resolveConsoleUser(config, user), { serviceUrl, minutes }),
      );
    });
};
