// Run before each commit: types, lint, format, and tests without servers. Rechecks only changed files, and stops at the
// first failure. `.ci/run` checks everything, from a clean checkout.
import { spawnSync } from 'node:child_process';

const cache = 'node_modules/.cache';
const steps = {
  types: 'tsc --build --emitDeclarationOnly',
  lint: `eslint --cache --cache-location ${cache}/eslint/ .`,
  format: `prettier --cache --cache-location ${cache}/prettier/check --log-level warn --check .`,
  'tests without servers': 'vitest run --mode quick',
};

for (const [name, command] of Object.entries(steps)) {
  console.log(`\n== ${name}`);
  const startedAt = Date.now();
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  if (status !== 0) {
    console.error(`\n== ${name} failed after ${seconds} s: ${command}`);
    process.exit(1);
  }
  console.log(`   ${seconds} s`);
}
