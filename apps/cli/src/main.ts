import { chdir, env, exit } from 'node:process';
import { run } from './program.ts';

// npm runs its scripts in the project's root; paths are meant from where the operator stands.
if (env.INIT_CWD) chdir(env.INIT_CWD);

// Whoever reads no further, such as `head`, has read what they wanted.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => exit(code === 'EPIPE' ? 0 : 1));

exit(await run(process.argv, env));
