/** What INFO says of a server, as far as it says it. */
export interface ServerFacts {
  readonly version: string | null;
  /** What the server does when its memory is full. */
  readonly maxmemoryPolicy: string | null;
}

/** The oldest version that the limiter's script and BullMQ work on. */
const versionMin = [6, 2] as const;

/** INFO is asked and not CONFIG, which hosted servers forbid. */
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
  };
};

/** Sentences about the server, its name left out, that an operator should act on. */
export const serverWarnings = ({ version, maxmemoryPolicy }: ServerFacts): readonly string[] => [
  ...(version !== null && isTooOld(version)
    ? [`is version ${shown(version)}, and ${versionMin.join('.')} or newer is needed: limits, cache or jobs may fail`]
    : []),
  ...(maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction'
    ? [
        `has maxmemory-policy ${shown(maxmemoryPolicy)}, which drops jobs and counts when memory is full: ` +
          'set it to noeviction',
      ]
    : []),
];

const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1]);
};

const shown = (text: string): string => text.replaceAll(/[^\w.-]+/g, ' ').slice(0, 40);
