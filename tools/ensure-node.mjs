// Root postinstall. Does nothing on Node 24 or newer. On an older version, links the pinned Node 24 from tools/node24
// into node_modules/.bin, which npm puts first on PATH for every script and for npx, so that the rest of the toolchain
// uses it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const required = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'tools/node24');
const binary = join(home, 'node_modules/.bin/node');
const shim = join(root, 'node_modules/.bin/node');

if (Number(process.versions.node.split('.')[0]) < required && !process.env.SKIP_NODE24) {
  if (!installPinnedNode() || !existsSync(binary)) {
    console.error(
      `Portico needs Node ${required} or newer; this is ${process.version}, and no prebuilt Node ${required} could be installed ` +
        `for ${process.platform}-${process.arch}. Install Node ${required} and run "npm ci" again.`,
    );
    process.exit(1);
  }
  mkdirSync(dirname(shim), { recursive: true });
  rmSync(shim, { force: true });
  symlinkSync(relative(dirname(shim), binary), shim);
  console.log(
    `Node ${process.version} is older than ${required}: npm scripts of this project use the Node in tools/node24.`,
  );
}

function installPinnedNode() {
  const inherited =
    /^npm_(config_(?!registry|cache|userconfig|globalconfig|offline|prefer_offline)|package_|lifecycle_)|^INIT_CWD$/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)));
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const options = { cwd: home, env, stdio: 'inherit' };
  const run = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  return run.status === 0;
}
