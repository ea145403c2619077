import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../service-process.ts';
import { variablesBySubject, type DescribedVariable } from './variables.ts';

const widthMax = 120;

/** The variables that only `docker-compose.yml` reads. */
const stackVariables: readonly DescribedVariable[] = [
  {
    name: 'PORTICO_ADDRESS',
    meaning: 'The address and port on which the stack listens.',
    defaultValue: '127.0.0.1:3000',
  },
  {
    name: 'IDENTITY_CA_FILE',
    meaning:
      'The path, inside the containers, of a CA certificate to trust for the issuer, in addition to the system ones.',
    defaultValue: null,
  },
  { name: 'COMPOSE_PROFILES', meaning: 'identity adds Keycloak; see deploy/identity.env.', defaultValue: null },
].map((variable) => ({ ...variable, expected: null, isSecret: false }));

const toComment = (text: string): string =>
  text
    .split(' ')
    .reduce<readonly string[]>((lines, word) => {
      const lastLine = lines.at(-1) ?? '';
      const extendedLine = lastLine === '' ? `# ${word}` : `${lastLine} ${word}`;
      return extendedLine.length <= widthMax ? [...lines.slice(0, -1), extendedLine] : [...lines, `# ${word}`];
    }, [])
    .join('\n');

const quote = (value: string): string => (/^[\w.:/-]*$/.test(value) ? value : `'${value}'`);

const formatEntry = ({ name, meaning, defaultValue: defaultText }: DescribedVariable): string =>
  `${toComment(meaning)}\n#${name}=${quote(defaultText ?? '')}\n`;

const formatFileLines = (variables: readonly DescribedVariable[]): string =>
  variables
    .filter(({ name, isSecret }) => isSecret && name !== 'SECRETS_KEY')
    .map(({ name }) => `#${name}_FILE=\n`)
    .join('');

/**
 * Returns the text of `.env.example`: every variable with its default, grouped by whether `docker-compose.yml` passes
 * it on.
 */
export const buildEnvironmentExample = (): string => {
  const stack = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const isPassedOn = ({ name }: DescribedVariable): boolean =>
    new RegExp(`^ {4}- ${name}$|\\$\\{${name}\\b`, 'm').test(stack);
  const variables = variablesBySubject.flatMap(([, group]) => group);
  const [passedVariables, otherVariables] = [
    variables.filter(isPassedOn),
    variables.filter((variable) => !isPassedOn(variable)),
  ];
  const introduction = toComment(
    'All variables of Portico, with their defaults. Copy this file to `.env` and uncomment the lines you change. docker-compose.yml reads `.env` automatically; for `npm start`: set -a; . ./.env; set +a; npm start. docs/reference/configuration.md lists the allowed values.',
  );
  return [
    `${introduction}\n`,
    '# == With or without Docker Compose\n',
    ...passedVariables.map(formatEntry),
    '# == Only with Docker Compose\n',
    ...stackVariables.map(formatEntry),
    '# == Only without Docker Compose; docker-compose.yml sets these itself\n',
    ...otherVariables.map(formatEntry),
    `# Each is the path of a file that contains the value.\n${formatFileLines(variables)}`,
  ].join('\n');
};
