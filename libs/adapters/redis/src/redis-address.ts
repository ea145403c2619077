/** The address and credentials of a Redis server. Only `label` may be logged. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** The user name, empty if absent. */
  readonly username: string;
  /** The password, a secret; empty if absent. */
  readonly password: string;
  /** The database number, 0 if absent. */
  readonly db: number;
  readonly tls: boolean;
  /** The host and port. */
  readonly label: string;
}

const portDefault = 6379;

/**
 * Parses `redis://[user:password@]host[:port][/db]`, or `rediss:` for TLS. Ignores any query: Portico sets the timeouts
 * of the connection itself. Throws an error that does not quote the URL, because it may contain a password.
 */
export const readRedisUrl = (url: string): RedisAddress => {
  const parsedUrl = URL.parse(url);
  if (!parsedUrl || !/^rediss?:$/.test(parsedUrl.protocol) || parsedUrl.hostname === '') {
    throw new Error('The URL of Redis must be redis://[user:password@]host[:port][/db], or rediss:// for TLS');
  }
  const db = parsedUrl.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(db)) throw new Error('The path in the Redis URL must be a database number');
  const port = parsedUrl.port === '' ? portDefault : Number(parsedUrl.port);
  return {
    host: parsedUrl.hostname.replace(/^\[|\]$/g, ''),
    port,
    username: decode(parsedUrl.username),
    password: decode(parsedUrl.password),
    db: Number(db),
    tls: parsedUrl.protocol === 'rediss:',
    label: `${parsedUrl.hostname}:${port}`,
  };
};

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    // There is no cause, because it would quote the text, which may be the password.
    throw new Error('User and password in the Redis URL must be percent-encoded');
  }
};
