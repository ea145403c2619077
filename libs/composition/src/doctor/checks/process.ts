import { readFile } from 'node:fs/promises';
import { version } from '../../version.ts';
import { ok, skipped, warning, wrong, type Check } from '../check.ts';

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
        ? wrong(
            'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not checked, so anyone in between can impersonate the issuer or the database.',
            'Remove it. NODE_EXTRA_CA_CERTS names the certificate of your own CA.',
          )
        : ok('Certificates are checked.'),
    advice: 'Remove NODE_TLS_REJECT_UNAUTHORIZED.',
  },
];

/** Checks the version of Node. `text` is the version in Node's own notation, such as `v24.1.0`. */
export const checkNode = (text: string) =>
  Number(/^v(\d+)\./.exec(text)?.[1]) >= nodeMin
    ? ok(`Portico ${version} on Node ${text}.`)
    : wrong(`Portico ${version} runs on Node ${text}, which is too old.`, `Install Node ${nodeMin} or newer.`);

/** Returns the soft limit, which Node raises to the hard limit at startup. Returns null if there is no /proc. */
const openFilesMax = async (): Promise<number | null> => {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return soft === undefined ? null : soft === 'unlimited' ? Infinity : Number(soft);
};

const checkOpenFilesMax = (max: number | null) => {
  if (max === null) return skipped('This system does not report how many files a process may open.');
  if (max >= filesMin) return ok(`A process may open ${max} files.`);
  return warning(
    `A process may open only ${max} files: beyond that it accepts no more connections.`,
    `Raise the limit to ${filesMin} or more: ulimit -n, LimitNOFILE= of systemd, or ulimits of the container.`,
  );
};
