// Runs `npm test` on a busy machine: at the lowest priority, beside two endless loops. No test may depend on how long
// something takes. Arguments go to Vitest, such as a file's name. The loops have sessions of their own, like programs of
// other terminals: in this one's, Linux would leave a fiftieth of the machine to the tests.
import { spawn, spawnSync } from 'node:child_process';

const loops = Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { detached: true }));

const startedAt = Date.now();
const { status } = spawnSync('nice', ['-n', '19', 'npm', 'test', '--', ...process.argv.slice(2)], { stdio: 'inherit' });
for (const loop of loops) loop.kill('SIGKILL');
console.log(`Beside two endless loops, the tests took ${Math.round((Date.now() - startedAt) / 1_000)} s.`);
process.exitCode = status ?? 1;
