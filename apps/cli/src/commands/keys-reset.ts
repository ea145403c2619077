import { createInterface } from 'node:readline/promises';
import { embeddedFiles, openSecretsReset, type Config, type Portico } from '@portico/composition';
import { isAnythingLost, type LostSecrets } from '@portico/domain';
import { counted, exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import { whileUnused } from '../while-unused.ts';

const namesMax = 20;

/**
 * Takes away what no configured key opens, after saying what that is and being told to. Throws an `OperatorError` where there is
 * nothing to take away, where nobody can be asked, and where the answer is no.
 */
export const resetKeys = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> => {
  const files = embeddedFiles(config);
  // One that runs would go on by the key of before.
  if (files) await whileUnused(files, async () => undefined);
  const secrets = await openSecretsReset(config, logger);
  try {
    const lost = await secrets.find();
    if (!isAnythingLost(lost))
      throw new OperatorError('there is nothing to reset: the keys that are configured open all that is sealed');
    for (const line of linesOf(lost)) terminal.note(line);
    if (!yes) await confirm();
    const taken = await secrets.reset();
    terminal.result(viewOf(taken), [
      `${countsOf(taken)} were taken away. Start the service; what it seals from now on is sealed by the present key.`,
    ]);
  } finally {
    await secrets.close();
  }
};

const confirm = async (): Promise<void> => {
  if (!process.stdin.isTTY) {
    throw new OperatorError('nobody can be asked without a terminal: say --yes to do it', exitCodes.usage);
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question('Take all of this away for good? Type yes: ');
    if (answer.trim().toLowerCase() !== 'yes') throw new OperatorError('nothing was done');
  } finally {
    asking.close();
  }
};

const linesOf = ({ collections, mails, apiKeys }: LostSecrets): readonly string[] => [
  'No configured key opens this, and it will be lost for good:',
  ...(collections.length > 0
    ? [
        `  ${counted(collections.length, 'stored credential')} of target APIs; admins have to enter them anew:`,
        ...collections.slice(0, namesMax).map(({ id, name }) => `    ${id}  ${name}`),
        ...(collections.length > namesMax ? [`    … and ${collections.length - namesMax} more`] : []),
      ]
    : []),
  ...(mails.length > 0 ? [`  ${counted(mails.length, 'waiting mail')} with credentials; they will not be sent`] : []),
  ...(apiKeys === null
    ? []
    : [
        `  ALL API keys: ${counted(apiKeys, 'client')} must be given a new secret (POST /api/profiles/{id}/credentials); each keeps its client id`,
      ]),
  'Stop the service and its workers first: one that runs goes on by the key of before until it is started anew.',
];

const countsOf = ({ collections, mails, apiKeys }: LostSecrets): string =>
  [
    counted(collections.length, 'stored credential'),
    counted(mails.length, 'waiting mail'),
    counted(apiKeys ?? 0, 'API key'),
  ].join(', ');

const viewOf = ({ collections, mails, apiKeys }: LostSecrets) => ({
  credentials: collections,
  mails: mails.map(({ id, profileId }) => ({ id, profile_id: profileId })),
  api_keys: apiKeys ?? 0,
});
