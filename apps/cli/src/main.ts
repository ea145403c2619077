import { chdir, env, exit } from 'node:process';
import { run } from './program.ts';

// npm runs scripts in the project's root, but the operator's paths are relative to the operator's current folder.
if (env.INIT_CWD) chdir(env.INIT_CWD);

// A reader that closes the pipe early, such as `head`, has read enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => exit(code === 'EPIPE' ? 0 : 1));

const code = await run(process.argv, env, process);
// Data written to a pipe may not be flushed yet.
process.stdout.write('', () => exit(code));
