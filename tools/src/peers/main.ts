import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { help, readOptions, type PeerName, type PeerOptions } from './options.ts';
import { catalogPeers, measurePeer } from './reads.ts';
import { measuredHere, reportOf, writeReport, type PeerReport } from './report.ts';
import { measureVectorSearch } from './vector-search.ts';
import { UsageError } from '../usage-error.ts';

/** `npm run bench:peers`: what a user could pick instead, as `--help` says. */
const note = (text: string): void => void process.stderr.write(`${text}\n`);

const run = async (options: PeerOptions): Promise<void> => {
  const temporary = mkdtempSync(join(tmpdir(), 'portico-peers-'));
  const remove = (): void => rmSync(temporary, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      remove();
      process.exit(130);
    });
  const measure = async (name: PeerName): Promise<Partial<PeerReport>> => {
    const folders = { installed: join(options.folder ?? temporary, name), data: join(temporary, `${name}-data`) };
    if (name === 'sqlite-vec')
      return { [name]: { ...(await measureVectorSearch(folders.installed, options, note)), ...measuredHere() } };
    return { [name]: { ...(await measurePeer(catalogPeers[name], folders, options.quick, note)), ...measuredHere() } };
  };
  try {
    let report: PeerReport = {};
    for (const name of options.only) report = { ...report, ...(await measure(name)) };
    process.stdout.write(await reportOf(report));
    if (options.into !== null) await writeReport(options.into, report);
  } finally {
    remove();
  }
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await run(options);
  else process.stdout.write(help);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
