import { chdir, env, exit } from 'node:process';
import { run } from './program.ts';

// npm runs its scripts in the project's root; paths are meant from where the operator stands.
if (env.INIT_CWD) chdir(env.INIT_CWD);

exit(await run(process.argv, env));
