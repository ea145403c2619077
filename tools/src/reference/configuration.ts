import { variablesBySubject, type DescribedVariable } from './variables.ts';

const introduction = `# Configuration

Portico is configured by environment variables. It checks them at start; if any is wrong, it names every problem and
exits with status 1 before it listens. An empty value counts as absent. \`portico doctor\` checks them without a start.

Variables marked *secret* may come as \`NAME_FILE\` instead: the path of a file that holds the value.
[.env.example](../../.env.example) has all of them, to copy. [Install](../operations/install.md) says which ones
production needs.

Further variables are read by the tool (\`PORTICO_SERVER\`, \`PORTICO_TOKEN\`, \`PORTICO_TOKEN_FILE\`, \`PORTICO_ISSUER\`,
\`PORTICO_CLIENT_ID\`: [publishing](../publishing.md)), by the stack (\`PORTICO_ADDRESS\`, \`TLS_CERTIFICATE_FILE\`,
\`TLS_PORT\`, \`IDENTITY_CA_FILE\`, \`COMPOSE_PROFILES\`), by Node (\`NODE_EXTRA_CA_CERTS\`) and by
[OpenTelemetry](../operations/monitoring.md#traces).
`;

/** The words of an error, as Markdown: addresses as code, and no tags of HTML. */
const asMarkdown = (text: string): string =>
  text
    .replaceAll('<', '\\<')
    .replace(/\S+:\/\/\S*?(?=[.,;]?( |$))|\b[A-Z]+(_[A-Z]+)+\b/g, (address) => `\`${address}\``);

/** What a variable may be, unless its meaning names every choice. */
const expectation = (expected: string, meaning: string): string => {
  const [, listed] = /^one of (.*)$/.exec(expected) ?? [];
  if (listed === undefined) return ` Expects ${asMarkdown(expected)}.`;
  const choices = listed.split(', ').map((choice) => `\`${choice}\``);
  return choices.every((choice) => meaning.includes(choice)) ? '' : ` One of ${choices.join(', ')}.`;
};

const line = ({ name, meaning, standard, expected, isSecret }: DescribedVariable): string => {
  const facts = [...(standard === null ? [] : [`default \`${standard}\``]), ...(isSecret ? ['*secret*'] : [])];
  const allowed = expected === null ? '' : expectation(expected, meaning);
  return `- **\`${name}\`**${facts.length > 0 ? ` (${facts.join(', ')})` : ''}: ${meaning}${allowed}`;
};

/** `docs/reference/configuration.md`. */
export const configurationPage = (): string =>
  [
    introduction,
    ...variablesBySubject.map(([subject, variables]) => `## ${subject}\n\n${variables.map(line).join('\n')}\n`),
  ].join('\n');
