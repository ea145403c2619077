// Runs `npm test` on a busy machine: at the lowest priority, together with two endless loops. No test may depend on
// timing. Arguments, such as a file name, are passed to Vitest. The loops run in separate sessions, like programs in
// other terminals: in the same session, Linux would give the tests only a fiftieth of the CPU.
import { spawn, spawnSync } from 'node:child_process';

const loops = Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { detached: true }));

const startedAt = Date.now();
const { status } = spawnSync('nice', ['-n', '19', 'npm', 'test', '--', ...process.argv.slice(2)], { stdio: 'inherit' });
for (const loop of loops) loop.kill('SIGKILL');
console.log(`With two endless loops, the tests took ${Math.round((Date.now() - startedAt) / 1_000)} s.`);
process.exitCode = status ?? 1;
