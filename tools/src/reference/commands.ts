import { PassThrough } from 'node:stream';
import { createTool } from '@portico/cli';

type Tool = ReturnType<typeof createTool>;
type Command = Tool['program'];

const introduction = `# Commands

\`npm run -s portico -- COMMAND\` in a checkout, \`docker compose exec -T http portico COMMAND\` in the stack. \`--help\` shows
the same text.

The tool works on the configured stores (\`DATA_DIR\`, \`DATABASE_URL\`, …), even while the service runs. Commands
marked *HTTP* also work over HTTP, with \`--server URL\` or \`PORTICO_SERVER\` and a token in \`PORTICO_TOKEN\`, in the file
\`PORTICO_TOKEN_FILE\`, or after \`portico login\`. The others reject \`--server\`, and ignore
\`PORTICO_SERVER\` with a notice. \`--server ''\` disables it for one command.
`;

/** Returns a command's entry, with its arguments and options below it. */
const entryOf = (command: Command, { program, overHttp }: Tool): string => {
  const help = program.createHelp();
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => `\`${option.flags}\`: ${help.optionDescription(option)}`);
  const argumentLines = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => `\`${argument.name()}\`: ${help.argumentDescription(argument)}`);
  const usage = help.commandUsage(command).replace('portico ', '').replace(' [options]', '');
  const mark = overHttp.has(command) ? ' *HTTP*' : '';
  const details = [...argumentLines, ...options].map((line) => `  - ${line}\n`).join('');
  return `- \`${usage}\`${mark}: ${command.description()}\n${details}`;
};

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Returns the text of `docs/reference/commands.md`. */
export const buildCommandsPage = (): string => {
  const stream = new PassThrough();
  const tool = createTool({}, { stdin: stream, stdout: stream, stderr: stream }, () => {});
  const { program } = tool;
  const globalOptions = program
    .createHelp()
    .visibleOptions(program)
    .map((option) => `\`${option.flags}\`: ${option.description}`);
  return [
    introduction,
    globalOptions.map((line) => `- ${line}\n`).join(''),
    ...program.commands.map((command) => {
      const title = command.commands.length === 0 ? command.name() : `${command.name()}: ${command.description()}`;
      return `## ${title}\n\n${leavesOf(command)
        .map((leaf) => entryOf(leaf, tool))
        .join('')}`;
    }),
  ].join('\n');
};
