import { readConfig } from '@portico/composition';
import { graceSecondsMax } from '@portico/domain';
import { checkKey } from '../commands/key-check.ts';
import { resetKeys } from '../commands/keys-reset.ts';
import { expireKeyOf, rotateKeyOf } from '../commands/people.ts';
import { reseal } from '../commands/reseal.ts';
import { exitCodes } from '../terminal.ts';
import type { Tool } from '../tool.ts';
import { createToolLogger, withPortico } from '../with-portico.ts';
import { administer } from './administer.ts';
import { parseExpiryOrNever, createIntegerParser } from './options.ts';

/** Adds the commands for people's API keys and for the key that seals secrets. */
export const addKeys = (tool: Tool): void => {
  const { program, environment, getTerminal, setExitCode, overHttp } = tool;
  const keys = program.command('keys').description('API keys of people, and the secrets key of this installation');
  const rotate = keys
    .command('rotate')
    .argument('<email>', 'owner')
    .option(
      '--grace <seconds>',
      'how long the previous secret remains valid',
      createIntegerParser(0, graceSecondsMax),
      0,
    )
    .description("replace a person's API secret and print the new key");
  administer(tool, rotate, (api, terminal, email: string, { grace }: { grace: number }) =>
    rotateKeyOf(api, terminal, email, grace),
  );
  const expire = keys
    .command('expire')
    .argument('<email>', 'owner')
    .argument('<date>', 'the last day, such as 2027-01-31; or a date-time; or "never"', parseExpiryOrNever)
    .description("set a person's API key expiry");
  administer(tool, expire, expireKeyOf);
  const check = keys
    .command('check')
    .argument(
      '[secret]',
      "the secret (X-API-Key) or a service account's token; read from standard input if absent or -",
    )
    .description(
      'check whether a text is a well-formed API secret or service account token, by its format and checksum only; it is not printed, sent or looked up',
    )
    .action(async (secret: string | undefined) => {
      if (!(await checkKey(getTerminal(), secret))) setExitCode(exitCodes.failure);
    });
  // The command needs neither the stores nor a server.
  overHttp.add(check);
  keys
    .command('reseal')
    .description(
      'reseal data that an earlier key sealed with the current SECRETS_KEY; SECRETS_KEY_PREVIOUS is then no longer needed',
    )
    .action(() =>
      withPortico(tool, async (portico, terminal) => {
        if (!(await reseal(portico, terminal))) setExitCode(exitCodes.failure);
      }),
    );
  keys
    .command('reset')
    .description(
      'if the key that sealed the data is permanently lost: list the lost data, ask for confirmation, and remove the data',
    )
    .option('--yes', 'do not ask for confirmation')
    .action((options: { yes?: boolean }) => {
      const config = readConfig(environment);
      return resetKeys(config, createToolLogger(tool, config), getTerminal(), options);
    });
};
