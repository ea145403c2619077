import { readFile } from 'node:fs/promises';
import { version } from '../../version.ts';
import { pass, skip, warn, fail, type Check } from '../check.ts';

const nodeMin = 24;
/** Each caller needs a connection, and every connection and every open file uses a file descriptor. */
const filesMin = 1_024;

export const processChecks: readonly Check[] = [
  {
    id: 'process.version',
    needs: [],
    execute: () => checkNode(process.version),
    advice: `Install Node ${nodeMin} or newer.`,
  },
  {
    id: 'process.files',
    needs: [],
    execute: async () => checkOpenFilesMax(await openFilesMax()),
    advice: 'Check /proc/self/limits.',
  },
  {
    id: 'process.tls',
    needs: [],
    execute: ({ environment }) =>
      environment.NODE_TLS_REJECT_UNAUTHORIZED === '0'
        ? fail(
            'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not checked, so anyone on the network path can impersonate the issuer or the database.',
            'Remove it. To trust your own CA, set NODE_EXTRA_CA_CERTS.',
          )
        : pass('Certificates are checked.'),
    advice: 'Remove NODE_TLS_REJECT_UNAUTHORIZED.',
  },
];

/** Checks the version of Node. `text` is the version in Node's own notation, such as `v24.1.0`. */
export const checkNode = (text: string) =>
  Number(/^v(\d+)\./.exec(text)?.[1]) >= nodeMin
    ? pass(`Portico ${version} on Node ${text}.`)
    : fail(`Portico ${version} runs on Node ${text}, which is too old.`, `Install Node ${nodeMin} or newer.`);

/** Returns the soft limit, which Node raises to the hard limit at startup. Returns null if there is no /proc. */
const openFilesMax = async (): Promise<number | null> => {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, softLimit] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return softLimit === undefined ? null : softLimit === 'unlimited' ? Infinity : Number(softLimit);
};

const checkOpenFilesMax = (max: number | null) => {
  if (max === null) return skip('This system does not report how many files a process may open.');
  if (max >= filesMin) return pass(`A process may open ${max} files.`);
  return warn(
    `A process may open only ${max} files: beyond this limit, it accepts no more connections.`,
    `Raise the limit to ${filesMin} or more: ulimit -n, LimitNOFILE= of systemd, or ulimits of the container.`,
  );
};
