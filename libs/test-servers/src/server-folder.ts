import { accessSync, chownSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/** The account for a server that refuses to run as root: its own or `nobody`; null if we are not root. */
export function accountInPlaceOfRoot(preferred: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of [preferred, 'nobody']) {
    const found = accounts.find(([name]) => name === wanted);
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(`Run as root: neither ${preferred} nor nobody is an account of this machine.`);
}

/** A new empty folder that belongs to the account; not inside a folder that the account may not enter. */
export function newServerFolder(server: string, account: Account | null): string {
  const parent = account && !everybodyMayEnter(tmpdir()) ? '/tmp' : tmpdir();
  accessSync(parent);
  const folder = mkdtempSync(join(parent, `portico-test-${server}-`));
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

function everybodyMayEnter(folder: string): boolean {
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (dirname(folder) === folder || everybodyMayEnter(dirname(folder)));
}
