/** Where a Redis is and how one signs in there; `label` alone may be shown. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** Empty where none is named; so is the password. */
  readonly username: string;
  /** A secret. */
  readonly password: string;
  /** 0 where none is named. */
  readonly db: number;
  readonly tls: boolean;
  /** Host and port. */
  readonly label: string;
}

const portDefault = 6379;

/**
 * Reads `redis://[user:password@]host[:port][/db]`, or `rediss:` for TLS. What stands behind a `?` is not looked at: the
 * limits of the connection are ours. Throws an error that holds nothing of the address, which may contain a password.
 */
export const readRedisUrl = (url: string): RedisAddress => {
  const parsed = URL.parse(url);
  if (!parsed || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('The address of Redis must be redis://[user:password@]host[:port][/db], or rediss:// for TLS');
  }
  const db = parsed.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(db)) throw new Error('The path in the address of Redis must be the number of a database');
  const port = parsed.port === '' ? portDefault : Number(parsed.port);
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    username: decoded(parsed.username),
    password: decoded(parsed.password),
    db: Number(db),
    tls: parsed.protocol === 'rediss:',
    label: `${parsed.hostname}:${port}`,
  };
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    // The original error would show the part.
    throw new Error('User and password in the address of Redis must be percent-encoded');
  }
};
