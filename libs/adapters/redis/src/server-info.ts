/** The properties of a server that INFO reports. */
export interface ServerInfo {
  readonly version: string | null;
  /** The server's behavior when its memory is full. */
  readonly maxmemoryPolicy: string | null;
  /** `master`, or `slave` for a replica. */
  readonly role: string | null;
  /** `standalone`, `sentinel` or `cluster`. */
  readonly mode: string | null;
}

/** The oldest version that supports the limiter's script and BullMQ. */
const versionMin = [6, 2] as const;

/** Parses the reply to INFO. CONFIG is not used, because hosted servers forbid it. */
export const parseServerInfo = (info: string): ServerInfo => {
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

/** Advice for a server that is not a single primary. */
export const addressAdvice =
  'name one address that always leads to the primary: a proxy, or the endpoint of a managed Redis';

/**
 * Returns the reason a server in this mode cannot be used, as a predicate to follow the server's name; null if it may
 * be usable.
 */
export const findUnusableModeReason = ({ mode }: Pick<ServerInfo, 'mode'>): string | null =>
  mode === 'sentinel'
    ? 'is a Sentinel, which stores nothing'
    : mode === 'cluster'
      ? 'is a node of a Cluster, which rejects keys that belong to other nodes'
      : null;

/** Returns warnings for the operator, as predicates to follow the server's name. */
export const listServerWarnings = ({ version, maxmemoryPolicy, mode }: Omit<ServerInfo, 'role'>): readonly string[] => [
  ...[findUnusableModeReason({ mode })]
    .flatMap((problem) => problem ?? [])
    .map((problem) => `${problem}: ${addressAdvice}`),
  ...(isTooOld({ version })
    ? [
        `is version ${sanitize(version ?? '')}: limits, cache or jobs may fail, upgrade to ${versionMin.join('.')} or newer`,
      ]
    : []),
  ...(losesJobs({ maxmemoryPolicy })
    ? [
        `has maxmemory-policy ${sanitize(maxmemoryPolicy ?? '')}, which drops jobs and counts when memory is full: ` +
          'set it to noeviction',
      ]
    : []),
];

/** Whether the server evicts keys, including jobs, when its memory is full. */
export const losesJobs = ({ maxmemoryPolicy }: Pick<ServerInfo, 'maxmemoryPolicy'>): boolean =>
  maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction';

export const isTooOld = ({ version }: Pick<ServerInfo, 'version'>): boolean => {
  if (version === null) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1]);
};

/** Shortens text from a server and removes special characters. */
export const sanitize = (text: string): string => text.replaceAll(/[^\w.-]+/g, ' ').slice(0, 40);
