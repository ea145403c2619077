import { createInterface } from 'node:readline/promises';
import { findEmbeddedFiles, openSecretsReset, type Config, type Portico } from '@portico/composition';
import { isAnythingLost, type LostSecrets } from '@portico/domain';
import { formatCount, exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import { runWhileUnused } from '../run-while-unused.ts';

const namesMax = 20;

/**
 * Lists the sealed data that no configured key can open, asks for confirmation, and removes it. Throws an
 * `OperatorError` if there is nothing to remove, if there is no terminal, or if the operator declines.
 */
export const resetKeys = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> => {
  const files = findEmbeddedFiles(config);
  // A running process would keep using the old key.
  if (files) await runWhileUnused(files, async () => undefined);
  const secrets = await openSecretsReset(config, logger);
  try {
    const lostSecrets = await secrets.find();
    if (!isAnythingLost(lostSecrets))
      throw new OperatorError('there is nothing to reset: the configured keys open everything that is sealed');
    for (const line of linesOf(lostSecrets)) terminal.printNote(line);
    if (!yes) await confirm(terminal);
    const removedSecrets = await secrets.reset();
    terminal.printResult(viewOf(removedSecrets), [
      `Removed: ${countsOf(removedSecrets)}. Start the service, which now seals with the current key.`,
    ]);
  } finally {
    await secrets.close();
  }
};

const confirm = async ({ io }: Terminal): Promise<void> => {
  if (!io.stdin.isTTY) {
    throw new OperatorError('cannot ask for confirmation without a terminal: pass --yes', exitCodes.usage);
  }
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await prompt.question('Remove all of this permanently? Type yes: ');
    if (answer.trim().toLowerCase() !== 'yes') throw new OperatorError('not confirmed: nothing was removed');
  } finally {
    prompt.close();
  }
};

const linesOf = ({
  collections,
  credentials,
  mails,
  calls,
  webhooks,
  apiKeys,
  accountKeys,
}: LostSecrets): readonly string[] => [
  'No configured key can open the following, which will be lost permanently:',
  ...credentialLinesOf([...collections.map((collection) => ({ ...collection, scheme: null })), ...credentials]),
  ...(mails.length > 0
    ? [`  ${formatCount(mails.length, 'waiting email')} with credentials; they will not be sent`]
    : []),
  ...(calls.length > 0
    ? [`  the arguments of ${formatCount(calls.length, 'pending call')}; their callers have to ask again`]
    : []),
  ...(webhooks.length > 0
    ? [
        `  the secrets of ${formatCount(webhooks.length, 'webhook')}; rotate them (portico webhooks rotate), then activate them`,
      ]
    : []),
  ...(apiKeys === null
    ? []
    : [
        `  ALL API keys: ${formatCount(apiKeys, 'client')} will need a new secret (portico keys rotate EMAIL); client ids do not change`,
      ]),
  ...(accountKeys > 0
    ? [`  ${formatCount(accountKeys, 'token')} of service accounts; each needs a new one (portico accounts rotate)`]
    : []),
  'Stop the service and its workers first: a running process keeps using the old key until it is restarted.',
];

const credentialLinesOf = (
  credentials: readonly { readonly id: string; readonly name: string; readonly scheme: string | null }[],
): readonly string[] =>
  credentials.length > 0
    ? [
        `  ${formatCount(credentials.length, 'stored credential')} of target APIs; admins have to enter them again:`,
        ...credentials
          .slice(0, namesMax)
          .map(({ id, name, scheme }) => `    ${id}  ${name}${scheme === null ? '' : ` (${scheme})`}`),
        ...(credentials.length > namesMax ? [`    … and ${credentials.length - namesMax} more`] : []),
      ]
    : [];

const countsOf = ({ collections, credentials, mails, calls, webhooks, apiKeys, accountKeys }: LostSecrets): string =>
  [
    formatCount(collections.length + credentials.length, 'stored credential'),
    formatCount(mails.length, 'waiting email'),
    formatCount(calls.length, 'pending call'),
    formatCount(webhooks.length, 'webhook'),
    formatCount(apiKeys ?? 0, 'API key'),
    `${formatCount(accountKeys, 'token')} of service accounts`,
  ].join(', ');

const viewOf = ({ collections, credentials, mails, calls, webhooks, apiKeys, accountKeys }: LostSecrets) => ({
  credentials: [...collections, ...credentials.map(({ credentialId: _credentialId, ...credential }) => credential)],
  mails: mails.map(({ id, profileId }) => ({ id, profile_id: profileId })),
  calls: calls.map((id) => ({ id })),
  webhooks: webhooks.map((id) => ({ id })),
  api_keys: apiKeys ?? 0,
  service_accounts: accountKeys,
});
