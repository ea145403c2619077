import { localAdmin, openLocalIssuer, readConfig } from '@portico/composition';
import { startService } from '../service-process.ts';

/**
 * `npm run big-catalog:times`: starts the service on the database that the environment names, as `npm run big-catalog`
 * has filled it, and tells how long each list takes: the median and the longest of 7 requests, one after another.
 */
const environment = {
  ...process.env,
  NODE_ENV: 'development',
  PORT: process.env['PORT'] ?? '3198',
  RATE_LIMIT_DEFAULT: '100000000/60',
};
const requestsOfEach = 7;
const service = await startService(environment);
try {
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The local issuer is off');
  const token = await issuer.mint({ ...localAdmin, ttlSeconds: 3_600 });
  const ask = (path: string) => fetch(service.address + path, { headers: { Authorization: `Bearer ${token}` } });
  const first = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const [line] = (await (await ask(path)).json()) as readonly Readonly<Record<string, string>>[];
    if (!line) throw new Error(`${path} is empty`);
    return line;
  };
  const [person, collection, group] = [
    await first('/api/profiles/?role=client&registration_status=approved&limit=1'),
    await first('/api/collections/?limit=1'),
    await first('/api/groups?limit=1'),
  ];
  const audit = '/api/audit/?source=all&include=actor';
  const busy = (await (await ask('/api/audit/?action=api_call&include=actor&pageSize=1')).json()) as {
    readonly data: readonly [{ readonly actor_id: string; readonly message: Readonly<Record<string, string>> }];
  };
  const [{ actor_id: actor, message }] = busy.data;
  const paths = [
    '/api/profiles/',
    '/api/profiles/?limit=50',
    '/api/profiles/?limit=50&order=newest&include=usage,key,suspension,tier&include_total=true',
    '/api/profiles/?limit=50&registration_status=pending&include_total=true',
    '/api/profiles/?limit=50&q=zoë&include_total=true',
    '/api/profiles/?limit=50&q=tonwire&include_total=true',
    `/api/profiles/${person['id']}?include=usage,key`,
    `/api/profiles/${person['id']}/groups`,
    '/api/collections/',
    '/api/collections/?limit=50&include=usage,discoverable&include_total=true',
    '/api/collections/?limit=50&q=weather&include_total=true',
    `/api/collections/${collection['id']}/summary`,
    '/api/groups',
    '/api/groups?limit=50&include_total=true',
    '/api/groups?limit=50&q=órgano&include_total=true',
    `/api/groups/${group['id']}`,
    `/api/groups/${group['id']}/collections?limit=50`,
    `/api/access/clients/${person['id']}/collections`,
    `/api/access/clients/${person['id']}/collections?granted=true&limit=50`,
    `/api/access/collections/${collection['id']}/clients?include=ways&limit=50`,
    '/api/access/matrix?limit=50',
    `/api/access/matrix?limit=50&collection=${collection['id']}`,
    `/api/access/matrix?limit=50&group=${group['id']}`,
    '/api/access/requests?limit=50',
    '/api/access/requests?limit=50&status=pending',
    '/api/rate-limits/overrides',
    '/api/rate-limits/overrides?limit=50&include=client',
    '/api/usage?by=day',
    '/api/usage?by=profile',
    '/api/usage?by=collection',
    `/api/usage?by=day&profile_id=${person['id']}`,
    `${audit}&pageSize=50`,
    '/api/audit/?pageSize=50',
    `${audit}&pageSize=50&page=10000`,
    `${audit}&pageSize=50&action=api_call`,
    `${audit}&pageSize=50&action=access.grant`,
    `${audit}&pageSize=50&actor_id=${actor}`,
    `${audit}&pageSize=50&collection_id=${message['collection_id']}`,
    `${audit}&pageSize=50&collection_id=${message['collection_id']}&action=api_call`,
    `/api/audit/?source=system&pageSize=50&action=api_call`,
    `/api/audit/?source=client&pageSize=50&action=api_call`,
    `${audit}&pageSize=50&from=${dayAgo(30)}`,
    `${audit}&pageSize=50&from=${dayAgo(300)}&to=${dayAgo(10)}`,
    `${audit}&pageSize=50&page=5000&action=api_call`,
    `${audit}&pageSize=50&page=5000&from=${dayAgo(300)}`,
  ];
  process.stdout.write(`${'median ms'.padStart(9)} ${'longest'.padStart(8)} ${'bytes'.padStart(9)}\n`);
  for (const path of paths) {
    const { times, bytes, status } = await timed(() => ask(path));
    const [median, longest] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0];
    process.stdout.write(
      `${median.toFixed(1).padStart(9)} ${longest.toFixed(1).padStart(8)} ${bytes.toString().padStart(9)}  ${status === 200 ? '' : `${status} `}${path}\n`,
    );
  }
} finally {
  await service.stop();
}

async function timed(ask: () => Promise<Response>) {
  const times: number[] = [];
  let [bytes, status] = [0, 0];
  for (let at = 0; at < requestsOfEach; at++) {
    const start = performance.now();
    const response = await ask();
    bytes = (await response.arrayBuffer()).byteLength;
    status = response.status;
    times.push(performance.now() - start);
  }
  return { times: times.sort((a, b) => a - b), bytes, status };
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
