import { spawn } from 'node:child_process';
import type { Terminal } from '../terminal.ts';
import type { OpenPage } from './tokens.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens pages in the system's browser if a terminal is attached. The printed instruction covers every other case. */
export const createPageOpener =
  (terminal: Terminal): OpenPage =>
  async (page, instruction) => {
    for (const line of instruction.split('\n')) terminal.printNote(line);
    // The issuer chose the address, so only web pages are opened.
    const { stdin, stderr } = terminal.io;
    if (!stdin.isTTY || !stderr.isTTY || !/^https?:\/\//.test(page)) return;
    const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
    const opener = spawn(command, [...args, page], { stdio: 'ignore', detached: true });
    opener.on('error', () => terminal.printNote('No browser could be opened here: open the address yourself.'));
    opener.unref();
  };
