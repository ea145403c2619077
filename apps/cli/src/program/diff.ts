import { Option } from 'commander';
import { compareFiles, type DiffOptions } from '../commands/diff.ts';
import { diffFormats, hasChangesOf } from '../diff/change-formats.ts';
import { exitCodes, OperatorError } from '../terminal.ts';
import type { Tool } from '../tool.ts';

/** Creates the option that makes changes a failure. */
export const createFailOnOption = (effect: string): Option =>
  new Option('--fail-on <level>', `${effect} (warning: or breaking ones)`).choices(['breaking', 'warning']);

/** Adds the command that compares two documents. It needs neither a server nor the stores. */
export const addDiff = (tool: Tool): void => {
  const { program, getTerminal, setExitCode } = tool;
  const command = program
    .command('diff')
    .argument(
      '<old>',
      'a file, "-" for standard input, or REVISION:PATH in the Git repository, such as HEAD~1:api.yaml',
    )
    .argument('<new>', 'the same')
    .addOption(new Option('--format <format>', 'the format of the report (default: text)').choices(diffFormats))
    .addOption(createFailOnOption('exit with 1 if there are such changes'))
    .option('--output <file>', 'write the report to this file')
    .description('compare two OpenAPI documents and list the changes that callers may notice; works without a server')
    .action(async (before: string, after: string, options: DiffOptions) => {
      if (program.opts<{ server?: string }>().server)
        throw new OperatorError('"portico diff" compares files, without a server: omit --server', exitCodes.usage);
      const counts = await compareFiles(getTerminal(), [before, after], options);
      if (options.failOn && hasChangesOf(counts, options.failOn)) setExitCode(exitCodes.failure);
    });
  // PORTICO_SERVER may be set for other commands.
  tool.overHttp.add(command);
};
