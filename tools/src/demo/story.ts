import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../api-client.ts';
import { doTask } from './agent.ts';
import { readSamples, servedBy } from './samples.ts';
import { teamDay } from './team.ts';
import { agree, chapter, line, say } from './told.ts';
import type { WeatherApi } from './weather-api.ts';

export interface StoryTools {
  readonly adminToken: string;
  readonly mintUserToken: (uid: string, email: string) => Promise<string>;
  readonly dataDir: string;
  readonly mailFolder: string | null;
  readonly leaveOpen: boolean;
  /** Makes a link that opens the console signed in as the administrator, once. */
  readonly makeConsoleLink: () => Promise<string>;
  readonly weatherApi: WeatherApi;
}

interface Listed {
  readonly id: string;
  readonly name: string;
}

/** Plays through a first day with the service. Every step is a real request; throws if one fails. */
export const tellStory = async (api: ApiClient, tools: StoryTools): Promise<void> => {
  const admin: Credential = { token: tools.adminToken };
  say(`Portico runs at ${api.address}, on nothing but this machine's files.`);

  const samples = await loadSamples(api, admin, tools.weatherApi);
  const ada = await registerAda(api, tools);
  const client = await approve(api, admin, ada, tools.mailFolder);
  await grant(api, admin, ada.id, samples);
  await search(api, client);
  await doTask(api.address, client);
  await audit(api, admin);
  await hitLimit(api, admin, client);
  await teamDay(api, admin, samples);
  if (tools.leaveOpen) await farewell(api, tools, ada.token, client);
  else say('\nThat was the story; the service stops now.');
};

const loadSamples = async (api: ApiClient, admin: Credential, weather: WeatherApi): Promise<readonly Listed[]> => {
  chapter('1. An administrator fills the catalog.');
  const samples = readSamples().map((sample) =>
    sample.name === 'Nimbara Weather' ? servedBy(sample, weather) : sample,
  );
  for (const sample of samples) await api.ask(admin, 'POST', '/api/collections/', sample);
  const listed = await api.ask<Listed[]>(admin, 'GET', '/api/collections/');
  line(`POST /api/collections/  (${samples.length} times)`, `${listed.length} collections in the catalog`);
  line('', `one of them with a credential, and played by ${weather.baseUrl}`);
  await untilEmbedded(api, admin, listed.length);
  const { total } = await untilOperationsFound(api);
  line('GET /ready', `the operations of ${total} collections can be searched`);
  return listed;
};

interface Progress {
  readonly total: number;
  readonly done: number;
}

/** Operations are embedded in the background, as collections are. */
const untilOperationsFound = async (api: ApiClient): Promise<Progress> => {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const { operations } = await api.ask<{ operations: Progress | null }>(null, 'GET', '/ready');
    if (operations && operations.done === operations.total) return operations;
    await pause(100);
  }
  throw new Error('The operations were not ready after two minutes');
};

/** Embeddings are made in the background, normally within a second. */
const untilEmbedded = async (api: ApiClient, admin: Credential, count: number): Promise<void> => {
  const wanted = Math.min(100, count);
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const found = await api.ask<unknown[]>(admin, 'POST', '/api/vector/search', { query: 'api', k_limit: 100 });
    if (found.length >= wanted) return;
    await pause(100);
  }
  throw new Error('The embeddings were not ready after two minutes');
};

interface Ada {
  readonly id: string;
  readonly token: string;
}

const registerAda = async (api: ApiClient, { mintUserToken }: StoryTools): Promise<Ada> => {
  chapter('2. Ada signs up with the identity provider and registers.');
  const [uid, email] = ['ada', 'ada@example.com'];
  const registration = { firebase_uid: uid, email, full_name: 'Ada Lovelace', company_name: 'Analytical Engines' };
  const profile = await api.ask<{ id: string; registration_status: string }>(
    null,
    'POST',
    '/api/profiles/register',
    registration,
  );
  line('POST /api/profiles/register', `${email} is ${profile.registration_status}`);
  const token = await mintUserToken(uid, email);
  const list = await api.ask<unknown[]>({ token }, 'GET', '/api/collections/');
  line('GET /api/collections/  as Ada', `${list.length} collections: nothing was granted yet`);
  return { id: profile.id, token };
};

interface Client {
  readonly clientId: string;
  readonly secret: string;
}

const approve = async (api: ApiClient, admin: Credential, ada: Ada, mailFolder: string | null): Promise<Client> => {
  chapter('3. The administrator approves her. The secret is shown only this once.');
  const answer = await api.ask<{ client_id: string; client_secret: string }>(
    admin,
    'POST',
    `/api/profiles/${ada.id}/approve`,
  );
  line('POST /api/profiles/{id}/approve', `client_id ${answer.client_id}`);
  if (mailFolder) line('', `and mailed: see ${mailFolder}`);
  const again = await api.call(admin, 'POST', `/api/profiles/${ada.id}/approve`);
  line('the same again', `${again.status} ${JSON.stringify(again.body)}`);
  return { clientId: answer.client_id, secret: answer.client_secret };
};

const wanted = /weather|charges|flight|hotel|exchange|maps/i;

const grant = async (
  api: ApiClient,
  admin: Credential,
  adaId: string,
  collections: readonly Listed[],
): Promise<void> => {
  chapter('4. The administrator grants her what she needs for a travel assistant.');
  for (const { id, name } of collections.filter((collection) => wanted.test(collection.name))) {
    await api.ask(admin, 'POST', `/api/access/clients/${adaId}/collections/${id}`);
    line('POST /api/access/clients/{id}/collections/{id}', name);
  }
};

/** And the collection that is found; in the first two it shares no word with the search. */
export const searches = [
  ['collect what a shopper owes', 'Kestrel Pay Charges'],
  ['do I need an umbrella', 'Nimbara Weather'],
  ['weathr forcast', 'Nimbara Weather'],
] as const;

const search = async (api: ApiClient, client: Credential): Promise<void> => {
  chapter('5. She searches for an API in plain words, also where none of them stands in what is found.');
  for (const [words, sought] of searches) {
    const [best] = await api.ask<{ collection_name: string }[]>(client, 'POST', '/api/vector/search', {
      query: words,
      k_limit: 1,
    });
    line(`"${words}"`, agree(best?.collection_name ?? 'nothing', sought));
  }
};

const audit = async (api: ApiClient, admin: Credential): Promise<void> => {
  chapter('7. What the agent did is on record.');
  const page = await api.ask<{ data: { message: object }[]; total: number }>(admin, 'GET', '/api/audit/?pageSize=1');
  line(
    'GET /api/audit/  as the administrator',
    `${page.total} in all, the newest: ${JSON.stringify(page.data[0]?.message)}`,
  );
};

const hitLimit = async (api: ApiClient, admin: Credential, client: Client): Promise<void> => {
  chapter('8. A rate limit takes effect.');
  const limit = { client_id: client.clientId, allowed_limit: 25, window_seconds: 60 };
  const override = await api.ask<{ id: number }>(admin, 'POST', '/api/rate-limits/overrides', limit);
  line('POST /api/rate-limits/overrides', `${limit.allowed_limit} requests in ${limit.window_seconds} s`);
  for (let attempt = 1; attempt <= limit.allowed_limit + 1; attempt++) {
    const answer = await api.call(client, 'GET', `/api/rate-limits/effective/${client.clientId}`);
    if (answer.status !== 429) continue;
    line('GET /api/rate-limits/effective/{id}', `429 ${JSON.stringify(answer.body)}`);
    await api.ask(admin, 'DELETE', `/api/rate-limits/overrides/${override.id}`);
    const after = await api.call(client, 'GET', `/api/rate-limits/effective/${client.clientId}`);
    line('DELETE the override, and the same again', after.status);
    return;
  }
  throw new Error('The limit was not reached');
};

const farewell = async (
  api: ApiClient,
  { adminToken, dataDir, makeConsoleLink }: StoryTools,
  adaToken: string,
  { clientId, secret }: Client,
): Promise<void> => {
  chapter('Continue by hand. The service runs until you press Ctrl-C; the next demo starts fresh.');
  say(`
   ${api.address}/docs            try every endpoint
   ${api.address}/openapi.json    the same for machines

   export PORTICO=${api.address}
   export DATA_DIR=${dataDir}
   export ADMIN_TOKEN=${adminToken}
   export ADA_TOKEN=${adaToken}
   export CLIENT_ID=${clientId}
   export CLIENT_SECRET=${secret}

   curl -s $PORTICO/api/collections/ -H "Authorization: Bearer $ADA_TOKEN"
   curl -s $PORTICO/api/operations/search -H "X-API-Key: $CLIENT_ID.$CLIENT_SECRET" \\
        -H 'Content-Type: application/json' -d '{"query": "book a room for two nights", "k_limit": 3}'
   claude mcp add --transport http portico $PORTICO/mcp --header "X-API-Key: $CLIENT_ID.$CLIENT_SECRET"
   curl -s "$PORTICO/api/audit/?source=all" -H "Authorization: Bearer $ADMIN_TOKEN"
`);
  chapter('Or open the console as the administrator. The link works once, within the hour.');
  say(`
   ${await makeConsoleLink()}

   Another link:  PORT=${new URL(api.address).port} DATA_DIR=${dataDir} npm run -s portico -- console
`);
};
