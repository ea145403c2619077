import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../service-process.ts';
import { variablesBySubject, type DescribedVariable } from './variables.ts';

const widthMax = 120;

/** The variables that only `docker-compose.yml` reads. */
const stackVariables: readonly DescribedVariable[] = [
  {
    name: 'PORTICO_ADDRESS',
    meaning: 'The address and port at which the stack is published.',
    defaultValue: '127.0.0.1:3000',
  },
  {
    name: 'IDENTITY_CA_FILE',
    meaning: 'The path in the containers of a CA certificate to trust for the issuer, in addition to the system ones.',
    defaultValue: null,
  },
  { name: 'COMPOSE_PROFILES', meaning: 'identity adds Keycloak; see deploy/identity.env.', defaultValue: null },
].map((variable) => ({ ...variable, expected: null, isSecret: false }));

const comment = (text: string): string =>
  text
    .split(' ')
    .reduce<readonly string[]>((lines, word) => {
      const last = lines.at(-1) ?? '';
      const longer = last === '' ? `# ${word}` : `${last} ${word}`;
      return longer.length <= widthMax ? [...lines.slice(0, -1), longer] : [...lines, `# ${word}`];
    }, [])
    .join('\n');

const quoted = (value: string): string => (/^[\w.:/-]*$/.test(value) ? value : `'${value}'`);

const entry = ({ name, meaning, defaultValue: standard }: DescribedVariable): string =>
  `${comment(meaning)}\n#${name}=${quoted(standard ?? '')}\n`;

const fileLines = (variables: readonly DescribedVariable[]): string =>
  variables
    .filter(({ name, isSecret }) => isSecret && name !== 'SECRETS_KEY')
    .map(({ name }) => `#${name}_FILE=\n`)
    .join('');

/**
 * Returns the text of `.env.example`: every variable with its default, grouped by whether `docker-compose.yml` passes
 * it on.
 */
export const environmentExample = (): string => {
  const stack = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const isPassedOn = ({ name }: DescribedVariable): boolean =>
    new RegExp(`^ {4}- ${name}$|\\$\\{${name}\\b`, 'm').test(stack);
  const variables = variablesBySubject.flatMap(([, group]) => group);
  const [passedOn, notPassedOn] = [variables.filter(isPassedOn), variables.filter((one) => !isPassedOn(one))];
  const introduction = comment(
    'All variables of Portico, with their defaults. Copy this file to `.env` and uncomment the lines you change. docker-compose.yml reads `.env` automatically; for `npm start`: set -a; . ./.env; set +a; npm start. docs/reference/configuration.md has the allowed values.',
  );
  return [
    `${introduction}\n`,
    '# == For docker-compose.yml, and for a service without it\n',
    ...passedOn.map(entry),
    '# == Only for docker-compose.yml\n',
    ...stackVariables.map(entry),
    '# == Only for a service without docker-compose.yml, which sets these itself\n',
    ...notPassedOn.map(entry),
    `# Each is the path of a file with the value, instead of the variable itself.\n${fileLines(variables)}`,
  ].join('\n');
};
