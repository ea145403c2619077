import { isIP } from 'node:net';
import { isLoopback } from '@portico/dependencies';
import { allowedMax, windowSecondsMax } from '@portico/domain';
import { z } from 'zod';

// The types of the variables of `environment.ts`. The message of each type describes the expected values.

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `a whole number from ${min} to ${max}`).max(max, `a whole number from ${min} to ${max}`));

export const choice = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `one of ${values.join(', ')}`);

/** Seconds, or a duration in Ollama's notation; a negative number means forever. */
export const keepAlive = z
  .string()
  .regex(/^(-?\d{1,9}|(\d{1,9}(\.\d{1,9})?(ms|s|m|h))+)$/, 'seconds, a duration such as 24h, or -1 for forever')
  .transform((text) => (/^-?\d+$/.test(text) ? Number(text) : text));
export const booleanText = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');

export const limit = z
  .string()
  .regex(/^[1-9]\d{0,9}\/[1-9]\d{0,6}$/, 'requests/seconds, such as 600/60')
  .transform((text) => {
    const [allowed, windowSeconds] = text.split('/').map(Number);
    return { allowed: allowed ?? 0, windowSeconds: windowSeconds ?? 0 };
  })
  .refine(
    ({ allowed, windowSeconds }) => allowed <= allowedMax && windowSeconds <= windowSecondsMax,
    `requests/seconds with at most ${allowedMax} requests and ${windowSecondsMax} seconds`,
  );

const units = { b: 1, kb: 1_024, mb: 1_048_576 } as const;
export const size = z
  .string()
  .toLowerCase()
  .regex(/^[1-9]\d{0,8}(b|kb|mb)?$/, 'a size such as 256kb or 32mb')
  .transform((text) => Number.parseInt(text, 10) * units[(/[a-z]+$/.exec(text)?.[0] ?? 'b') as keyof typeof units])
  .refine((bytes) => bytes <= 268_435_456, 'a size of at most 256mb');

export const issuerUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}, 'an https URL, or http on loopback, without user and password');

/** The URL as normalized by `URL`, without its last slash: clients compare the strings (RFC 9728, section 3.3). */
export const publicUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:\/\/[^\s?#]+$/i.test(text) && url.username === '' && url.password === '';
  }, 'https://HOST or http://HOST, without user, query and fragment')
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** Claims that the service reads for other purposes: none of them can be the claim that contains groups. */
export const reservedClaims = [
  'iss',
  'sub',
  'aud',
  'azp',
  'exp',
  'nbf',
  'iat',
  'auth_time',
  'email',
  'email_verified',
  'cnf',
  'events',
];

const nameList = (kind: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every((part) => /^[\x21-\x7e]{1,512}$/.test(part)),
      `${kind} of at most 512 characters without spaces, separated by commas`,
    );
export const audiences = nameList('audiences');
export const authorizedParties = nameList('client ids');

export const serverUrl = (schemes: readonly string[], allowed: string, isAllowed: (url: URL) => boolean = () => true) =>
  z.string().refine((text) => {
    const url = URL.parse(text);
    return url !== null && schemes.includes(url.protocol) && url.hostname !== '' && isAllowed(url);
  }, allowed);

/** Returns whether the text is correctly percent-encoded: `URL` accepts a stray `%`. */
const isPercentEncoded = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== '' || text === '';
  } catch {
    return false;
  }
};

export const redisUrl = serverUrl(
  ['redis:', 'rediss:'],
  'redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER], or rediss://… for TLS; NUMBER is the database; no ?options',
  ({ pathname, search, username, password }) =>
    /^\/?\d*$/.test(pathname) && search === '' && isPercentEncoded(username + password),
);

/**
 * Qdrant has no users. If a password were dropped silently, the operator would look for the problem in the wrong place.
 */
export const qdrantUrl = serverUrl(['http:', 'https:'], 'http://… or https://… without a user').refine((text) => {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}, 'http://… or https://… without a user: set the key in QDRANT_API_KEY');

/** Returns a type that validates with the adapter's own parser, whose error describes the problem. */
export const parsedBy = (read: (text: string) => unknown, kind: string) =>
  z.string().superRefine((text, context) => {
    try {
      read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${kind}: ${(error as Error).message}` });
    }
  });

export const key = z.string().refine((text) => /^[0-9A-Za-z+/]{43}=$/.test(text), '32 bytes in base64');

const proxyFormats =
  'off, a number of proxies, loopback, or addresses and networks such as 10.0.0.0/8, separated by commas';

const isNetwork = (text: string): boolean => {
  const [address = '', prefix = '0'] = text.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  return bits !== undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
};

/** The trusted proxies; empty for `off`. */
export const networks = z
  .string()
  .transform((text) => (text === 'off' ? [] : text.split(',').map((part) => part.trim())))
  .refine(
    (parts) =>
      (parts.length === 1 && /^\d{1,2}$/.test(parts[0] ?? '')) ||
      parts.every((part) => part === 'loopback' || isNetwork(part)),
    proxyFormats,
  );

/** The private networks that calls may reach. */
export const callNetworks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isNetwork), 'addresses and networks such as 10.20.0.0/16, separated by commas');

export const email = z.string().regex(/^[^\s@,<>]{1,64}@[^\s@,<>]{1,189}$/, 'an email address');

/** The default sender, which is sufficient for emails in files; with an SMTP server, it causes a warning. */
export const defaultMailFrom = 'Portico <portico@localhost>';

export const collector = serverUrl(['http:', 'https:'], 'http://… or https://…');

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];
export const databaseUrl = z.union(
  [
    z
      .string()
      .regex(/^sqlite:.+$/)
      .transform((text) => ({ kind: 'sqlite' as const, file: text.replace(/^sqlite:(\/\/)?/, '') })),
    serverUrl(['postgresql:', 'postgres:'], '').transform((url) => ({ kind: 'postgresql' as const, url })),
  ],
  'sqlite:PATH, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE',
);

/** Parses a value of `DATABASE_URL`; returns null if it is not valid. */
export const parseDatabaseUrl = (text: string): z.infer<typeof databaseUrl> | null =>
  databaseUrl.safeParse(text).data ?? null;
