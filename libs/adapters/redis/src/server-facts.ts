/** What INFO reveals about a server. */
export interface ServerFacts {
  readonly version: string | null;
  /** What the server does when its memory is full. */
  readonly maxmemoryPolicy: string | null;
  /** `master`, or `slave` for a replica. */
  readonly role: string | null;
  /** `standalone`, `sentinel` or `cluster`. */
  readonly mode: string | null;
}

/** The oldest version that supports the limiter's script and BullMQ. */
const versionMin = [6, 2] as const;

/** Uses INFO, since hosted servers forbid CONFIG. */
export const readServerFacts = (info: string): ServerFacts => {
  const fields = new Map(
    info
      .split('\r\n')
      .map((line) => line.split(':', 2))
      .map(([name = '', value = '']) => [name, value]),
  );
  return {
    version: fields.get('redis_version') ?? null,
    maxmemoryPolicy: fields.get('maxmemory_policy') ?? null,
    role: fields.get('role') ?? null,
    mode: fields.get('redis_mode') ?? null,
  };
};

/** What to name in place of a server that is no single primary. */
export const oneAddress =
  'name one address that always leads to the primary: a proxy, or the endpoint of a managed Redis';

/** Why a server of this mode is of no use, as a part of a sentence without its name; null if it may be of use. */
export const unfitMode = ({ mode }: Pick<ServerFacts, 'mode'>): string | null =>
  mode === 'sentinel'
    ? 'is a Sentinel, which stores nothing'
    : mode === 'cluster'
      ? 'is a node of a Cluster, which refuses the keys that other nodes have'
      : null;

/** Warnings for the operator, as sentences without the server's name. */
export const serverWarnings = ({ version, maxmemoryPolicy, mode }: Omit<ServerFacts, 'role'>): readonly string[] => [
  ...[unfitMode({ mode })].flatMap((unfit) => unfit ?? []).map((unfit) => `${unfit}: ${oneAddress}`),
  ...(isTooOld({ version })
    ? [
        `is version ${shown(version ?? '')}: limits, cache or jobs may fail, upgrade to ${versionMin.join('.')} or newer`,
      ]
    : []),
  ...(losesJobs({ maxmemoryPolicy })
    ? [
        `has maxmemory-policy ${shown(maxmemoryPolicy ?? '')}, which drops jobs and counts when memory is full: ` +
          'set it to noeviction',
      ]
    : []),
];

/** Whether it drops keys, jobs among them, when its memory is full. */
export const losesJobs = ({ maxmemoryPolicy }: Pick<ServerFacts, 'maxmemoryPolicy'>): boolean =>
  maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction';

export const isTooOld = ({ version }: Pick<ServerFacts, 'version'>): boolean => {
  if (version === null) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1]);
};

/** A server's word, short and harmless. */
export const shown = (text: string): string => text.replaceAll(/[^\w.-]+/g, ' ').slice(0, 40);
