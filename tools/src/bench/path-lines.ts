import type { SelfTimes } from './path-profiler.ts';

const rest = 'the rest (compiled code of the engine, regular expressions)';

/** Every line, in the order of a request. */
export const pathLines = [
  'reading the socket, parsing HTTP',
  'finding the route',
  'Express',
  'the exchange: its id, its deadline',
  'the credential',
  'the statements',
  // The main thread waits in it, which a profile counts like work.
  'the sync of a commit, with waiting for the disk',
  'Redis',
  'admission',
  'limits and uses',
  'query and body',
  'the search',
  'the answer: rows, negotiation, headers',
  'Node: headers, writable streams',
  'writing to the socket',
  'metrics',
  'the log line',
  'promises and turns of the event loop',
  'garbage collection',
  rest,
] as const;

type PathLine = (typeof pathLines)[number];

/** What runs for a request, in its order. A function belongs to the first line that its script or name matches. */
const lines: readonly (readonly [line: PathLine | 'idle', belongs: RegExp])[] = [
  ['idle', / \((idle|root)\)$/],
  ['garbage collection', / \(garbage collector\)$/],
  ['the sync of a commit, with waiting for the disk', /^ fdatasync$|node:fs fdatasyncSync$/],
  ['writing to the socket', /^ (writev|writeLatin1String|writeUtf8String|writeBuffer|shutdown)$/],
  [
    'the log line',
    /node_modules\/(pino|sonic-boom|thread-stream|quick-format)|composition\/src\/runtime\/(logging|gathered-lines)|node:fs |^ (writeString|now)$/,
  ],
  ['metrics', /node_modules\/prom-client|apps\/http\/src\/(metrics|request-durations)/],
  [
    'reading the socket, parsing HTTP',
    /node:(_http_server|_http_common|_http_incoming|internal\/streams\/readable|net) (?!.*rite)|^ (read|onread|execute|consume)$/,
  ],
  [
    'Express',
    /node_modules\/(express|router|path-to-regexp|parseurl|finalhandler|depd|etag|fresh|send|vary|content-type|mime)/,
  ],
  ['finding the route', /apps\/http\/src\/(route-lookup|http-app|requests\/request-target)/],
  [
    'the exchange: its id, its deadline',
    /apps\/http\/src\/exchange|node:internal\/(crypto\/random|timers)|node:timers /,
  ],
  [
    'the credential',
    /requests\/credential|api-key|checked-secret|adapters\/(secrets|identity)|node:internal\/crypto|domain\/src\/ids/,
  ],
  // The driver's own functions have no names.
  ['the statements', /^ $|adapters\/sql|better-sqlite3|node_modules\/pg/],
  ['Redis', /adapters\/redis|ioredis/],
  ['limits and uses', /adapters\/inprocess|domain\/src\/(usage|limits)/],
  ['admission', /domain\/src\/(use-cases\/access|access|profiles|groups)|apps\/http\/src\/pipeline/],
  ['the search', /adapters\/(vectors|word-vectors|embedder)|use-cases\/search|wasm/],
  ['query and body', /requests\/(fields|body)|node_modules\/zod|domain\/src\/json/],
  ['the answer: rows, negotiation, headers', /apps\/http\/src|domain\/src|node_modules\/lru-cache|libs\//],
  [
    'Node: headers, writable streams',
    /node:(_http_outgoing|_http|internal\/(streams|stream_base_commons)|net|buffer|events)/,
  ],
  ['promises and turns of the event loop', /runMicrotasks|task_queues|async_hooks|node:internal\/(process|async)/],
];

/** The share of each line in the time that was not idle. */
export const sharesOf = (times: SelfTimes): ReadonlyMap<string, number> => {
  const shares = new Map<string, number>();
  let total = 0;
  for (const [name, microseconds] of Object.entries(times)) {
    const line = lines.find(([, belongs]) => belongs.test(name))?.[0] ?? rest;
    if (line === 'idle') continue;
    total += microseconds;
    shares.set(line, (shares.get(line) ?? 0) + microseconds);
  }
  return new Map([...shares].map(([line, microseconds]) => [line, microseconds / total]));
};
