import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compact } from './compact.ts';
import type { Row } from './curve.ts';
import { curves } from './curves.ts';
import { readOptions } from './options.ts';

/** Measures one curve, and prints its rows and notes as JSON; the command starts it in a process of its own. */
const [name, ...args] = process.argv.slice(2);
const curve = curves.find((each) => each.name === name);
const options = readOptions(args, []);
if (!curve || !options) throw new Error(`There is no curve ${name}`);
const start = performance.now();
const tell = (what: string): void => {
  process.stderr.write(`${((performance.now() - start) / 1_000).toFixed(0).padStart(5)} s  ${curve.name}: ${what}\n`);
};
const folder = mkdtempSync(join(tmpdir(), 'portico-curves-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const rows: Row[] = [];
const notes: string[] = [];
const { quick, idleMinutes } = options;
for await (const row of curve.measure({ quick, idleMinutes, folder, tell, note: (remark) => notes.push(remark) })) {
  rows.push(row);
  tell(`  ${compact(row.x)} ${curve.x.label}, ${row.series}: ${compact(row.value)} ${row.unit}`);
}
process.stdout.write(JSON.stringify({ rows, notes }));
