import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** What is installed of a peer: exact versions. */
export interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  /** Whose install scripts have to run, because the package does not bring what they make. */
  readonly built?: readonly string[];
}

const done = 'installed.json';

/** Installs them with npm, unless the folder has just these already. No other install script runs. */
export const install = async (folder: string, packages: Packages): Promise<void> => {
  const wanted = JSON.stringify({ ...packages, node: process.versions.modules });
  if (existsSync(join(folder, done)) && readFileSync(join(folder, done), 'utf8') === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { built = [], ...manifest } = packages;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'peer', private: true, ...manifest }));
  // Peer dependencies are those of browser panels that are not served.
  await npm(folder, 'install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund');
  if (built.length > 0) await npm(folder, 'rebuild', ...built);
  writeFileSync(join(folder, done), wanted);
};

const npm = async (folder: string, ...args: readonly string[]): Promise<void> => {
  const own = /^(npm_(config_(?!registry|cache|userconfig|globalconfig)|package_|lifecycle_)|INIT_CWD$)/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  const home = dirname(process.execPath);
  // Where the headers of Node are beside it, nothing has to be fetched to compile.
  const headers = resolve(home, '..');
  const child = spawn('npm', ['--loglevel=error', ...args], {
    cwd: folder,
    env: {
      ...env,
      PATH: `${home}${delimiter}${env.PATH ?? ''}`,
      ...(existsSync(join(headers, 'include/node/node_api.h')) ? { npm_config_nodedir: headers } : {}),
    },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}`);
};
