import { variablesBySubject, type DescribedVariable } from './variables.ts';

const introduction = `# Configuration

Portico is configured by environment variables. It checks them at startup; if any is invalid, it lists every problem and
exits with status 1 before it listens. An empty value counts as not set. \`portico doctor\` checks them without starting.

Variables marked *secret* may be set as \`NAME_FILE\` instead: the path of a file with the value.
[.env.example](../../.env.example) has all variables to copy. [Install](../operations/install.md) lists those that
production needs.

Other variables are read by the command-line tool (\`PORTICO_SERVER\`, \`PORTICO_TOKEN\`, \`PORTICO_TOKEN_FILE\`, \`PORTICO_ISSUER\`,
\`PORTICO_CLIENT_ID\`: [publishing](../publishing.md)), by the stack (\`PORTICO_ADDRESS\`, \`TLS_CERTIFICATE_FILE\`,
\`TLS_PORT\`, \`IDENTITY_CA_FILE\`, \`COMPOSE_PROFILES\`), by Node (\`NODE_EXTRA_CA_CERTS\`) and by
[OpenTelemetry](../operations/monitoring.md#traces).
`;

/** Returns an error message as Markdown, with URLs and variables as code, and without HTML tags. */
const toMarkdown = (text: string): string =>
  text
    .replaceAll('<', '\\<')
    .replace(/\S+:\/\/\S*?(?=[.,;]?( |$))|\b[A-Z]+(_[A-Z]+)+\b/g, (address) => `\`${address}\``);

/** Returns a variable's allowed values as a sentence; empty if `meaning` already lists every choice. */
const describeExpected = (expected: string, meaning: string): string => {
  const [, choiceList] = /^one of (.*)$/.exec(expected) ?? [];
  if (choiceList === undefined) return ` Expects ${toMarkdown(expected)}.`;
  const choices = choiceList.split(', ').map((choice) => `\`${choice}\``);
  return choices.every((choice) => meaning.includes(choice)) ? '' : ` One of ${choices.join(', ')}.`;
};

const formatVariable = ({
  name,
  meaning,
  defaultValue: defaultText,
  expected,
  isSecret,
}: DescribedVariable): string => {
  const notes = [...(defaultText === null ? [] : [`default \`${defaultText}\``]), ...(isSecret ? ['*secret*'] : [])];
  const allowedValues = expected === null ? '' : describeExpected(expected, meaning);
  return `- **\`${name}\`**${notes.length > 0 ? ` (${notes.join(', ')})` : ''}: ${meaning}${allowedValues}`;
};

/** Returns the text of `docs/reference/configuration.md`. */
export const buildConfigurationPage = (): string =>
  [
    introduction,
    ...variablesBySubject.map(
      ([subject, variables]) => `## ${subject}\n\n${variables.map(formatVariable).join('\n')}\n`,
    ),
  ].join('\n');
