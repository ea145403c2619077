import { accessSync, chownSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/**
 * Returns the account for a server that refuses to run as root: its own account or `nobody`; null if we are not root.
 */
export function findNonRootAccount(preferredUser: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const users = [preferredUser, 'nobody'];
  for (const user of users) {
    const account = accounts.find(([name]) => name === user);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(`Running as root, and this machine has no account ${users.join(' or ')}.`);
}

/** Creates an empty folder owned by the account, in a folder that the account can access, and returns its path. */
export function createServerFolder(server: string, account: Account | null): string {
  const parent = account && !isWorldAccessible(tmpdir()) ? '/tmp' : tmpdir();
  accessSync(parent);
  const folder = mkdtempSync(join(parent, `portico-test-${server}-`));
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

function isWorldAccessible(folder: string): boolean {
  const isSearchable = (statSync(folder).mode & 0o001) !== 0;
  return isSearchable && (dirname(folder) === folder || isWorldAccessible(dirname(folder)));
}
