import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../api-client.ts';
import { runAgentTask } from './agent.ts';
import { readSamples, withWeatherApi } from './samples.ts';
import { runTeamDay } from './team.ts';
import { expectEqual, printChapter, printLine, print } from './format.ts';
import type { WeatherApi } from './weather-api.ts';

export interface StoryTools {
  readonly adminToken: string;
  readonly mintUserToken: (uid: string, email: string) => Promise<string>;
  readonly dataDir: string;
  readonly mailFolder: string | null;
  readonly keepRunning: boolean;
  /** Creates a one-time link to the console for the administrator. */
  readonly makeConsoleLink: () => Promise<string>;
  readonly weatherApi: WeatherApi;
}

interface CollectionSummary {
  readonly id: string;
  readonly name: string;
}

/** Goes through a first day with the service. Every step is a real request; throws if one fails. */
export const runStory = async (api: ApiClient, tools: StoryTools): Promise<void> => {
  const admin: Credential = { token: tools.adminToken };
  print(`Portico runs at ${api.address}, using only this machine's files.`);

  const samples = await loadSamples(api, admin, tools.weatherApi);
  const ada = await registerAda(api, tools);
  const client = await approve(api, admin, ada, tools.mailFolder);
  await grant(api, admin, ada.id, samples);
  await search(api, client);
  await runAgentTask(api.address, client);
  await showAuditLog(api, admin);
  await hitLimit(api, admin, client);
  await runTeamDay(api, admin, samples);
  if (tools.keepRunning) await showNextSteps(api, tools, ada.token, client);
  else print('\nThis is the end of the demo. Stopping the service.');
};

const loadSamples = async (
  api: ApiClient,
  admin: Credential,
  weather: WeatherApi,
): Promise<readonly CollectionSummary[]> => {
  printChapter('1. An administrator fills the catalog.');
  const samples = readSamples().map((sample) =>
    sample.name === 'Nimbara Weather' ? withWeatherApi(sample, weather) : sample,
  );
  for (const sample of samples) await api.request(admin, 'POST', '/api/collections/', sample);
  const collections = await api.request<CollectionSummary[]>(admin, 'GET', '/api/collections/');
  printLine(`POST /api/collections/  (${samples.length} times)`, `${collections.length} collections in the catalog`);
  printLine('', `one of them with a credential, served by a fake API at ${weather.baseUrl}`);
  await waitForEmbeddings(api, admin, collections.length);
  const { total } = await waitForOperations(api);
  printLine('GET /ready', `the operations of ${total} collections can be searched`);
  return collections;
};

interface Progress {
  readonly total: number;
  readonly done: number;
}

/** Waits for the operations, which, like collections, are embedded in the background. */
const waitForOperations = async (api: ApiClient): Promise<Progress> => {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const { operations } = await api.request<{ operations: Progress | null }>(null, 'GET', '/ready');
    if (operations && operations.done === operations.total) return operations;
    await pause(100);
  }
  throw new Error('The operations were not ready after two minutes');
};

/** Waits for the embeddings, which are computed in the background, normally within a second. */
const waitForEmbeddings = async (api: ApiClient, admin: Credential, count: number): Promise<void> => {
  const expectedCount = Math.min(100, count);
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const results = await api.request<unknown[]>(admin, 'POST', '/api/vector/search', { query: 'api', k_limit: 100 });
    if (results.length >= expectedCount) return;
    await pause(100);
  }
  throw new Error('The embeddings were not ready after two minutes');
};

interface Ada {
  readonly id: string;
  readonly token: string;
}

const registerAda = async (api: ApiClient, { mintUserToken }: StoryTools): Promise<Ada> => {
  printChapter('2. Ada signs up with the identity provider and registers.');
  const [uid, email] = ['ada', 'ada@example.com'];
  const registration = { firebase_uid: uid, email, full_name: 'Ada Lovelace', company_name: 'Analytical Engines' };
  const profile = await api.request<{ id: string; registration_status: string }>(
    null,
    'POST',
    '/api/profiles/register',
    registration,
  );
  printLine('POST /api/profiles/register', `${email} is ${profile.registration_status}`);
  const token = await mintUserToken(uid, email);
  const collections = await api.request<unknown[]>({ token }, 'GET', '/api/collections/');
  printLine('GET /api/collections/  as Ada', `${collections.length} collections: there are no grants yet`);
  return { id: profile.id, token };
};

interface ApiKey {
  readonly clientId: string;
  readonly secret: string;
}

const approve = async (api: ApiClient, admin: Credential, ada: Ada, mailFolder: string | null): Promise<ApiKey> => {
  printChapter('3. The administrator approves her. The secret is shown only once.');
  const profile = await api.request<{ client_id: string; client_secret: string }>(
    admin,
    'POST',
    `/api/profiles/${ada.id}/approve`,
  );
  printLine('POST /api/profiles/{id}/approve', `client_id ${profile.client_id}`);
  if (mailFolder) printLine('', `and mailed: see ${mailFolder}`);
  const secondResponse = await api.call(admin, 'POST', `/api/profiles/${ada.id}/approve`);
  printLine('the same request again', `${secondResponse.status} ${JSON.stringify(secondResponse.body)}`);
  return { clientId: profile.client_id, secret: profile.client_secret };
};

const travelApis = /weather|charges|flight|hotel|exchange|maps/i;

const grant = async (
  api: ApiClient,
  admin: Credential,
  adaId: string,
  collections: readonly CollectionSummary[],
): Promise<void> => {
  printChapter('4. The administrator grants her the APIs for a travel assistant.');
  for (const { id, name } of collections.filter((collection) => travelApis.test(collection.name))) {
    await api.request(admin, 'POST', `/api/access/clients/${adaId}/collections/${id}`);
    printLine('POST /api/access/clients/{id}/collections/{id}', name);
  }
};

/** Queries with the collection that each is expected to find. The first two have no word in common with theirs. */
export const searches = [
  ['collect debts from a shopper', 'Kestrel Pay Charges'],
  ['do I need an umbrella', 'Nimbara Weather'],
  ['weathr forcast', 'Nimbara Weather'],
] as const;

const search = async (api: ApiClient, client: Credential): Promise<void> => {
  printChapter('5. She searches for an API in plain words, even words that are not in its description.');
  for (const [words, expectedName] of searches) {
    const [bestMatch] = await api.request<{ collection_name: string }[]>(client, 'POST', '/api/vector/search', {
      query: words,
      k_limit: 1,
    });
    printLine(`"${words}"`, expectEqual(bestMatch?.collection_name ?? 'nothing', expectedName));
  }
};

const showAuditLog = async (api: ApiClient, admin: Credential): Promise<void> => {
  printChapter("7. The audit log has the agent's calls.");
  const page = await api.request<{ data: { message: object }[]; total: number }>(
    admin,
    'GET',
    '/api/audit/?pageSize=1',
  );
  printLine(
    'GET /api/audit/  as the administrator',
    `${page.total} entries, the newest: ${JSON.stringify(page.data[0]?.message)}`,
  );
};

const hitLimit = async (api: ApiClient, admin: Credential, client: ApiKey): Promise<void> => {
  printChapter('8. A rate limit takes effect.');
  const limit = { client_id: client.clientId, allowed_limit: 25, window_seconds: 60 };
  const override = await api.request<{ id: number }>(admin, 'POST', '/api/rate-limits/overrides', limit);
  printLine('POST /api/rate-limits/overrides', `${limit.allowed_limit} requests in ${limit.window_seconds} s`);
  for (let attempt = 1; attempt <= limit.allowed_limit + 1; attempt++) {
    const response = await api.call(client, 'GET', `/api/rate-limits/effective/${client.clientId}`);
    if (response.status !== 429) continue;
    printLine('GET /api/rate-limits/effective/{id}', `429 ${JSON.stringify(response.body)}`);
    await api.request(admin, 'DELETE', `/api/rate-limits/overrides/${override.id}`);
    const nextResponse = await api.call(client, 'GET', `/api/rate-limits/effective/${client.clientId}`);
    printLine('the same request after the override is deleted', nextResponse.status);
    return;
  }
  throw new Error('The limit was not reached');
};

const showNextSteps = async (
  api: ApiClient,
  { adminToken, dataDir, makeConsoleLink }: StoryTools,
  adaToken: string,
  { clientId, secret }: ApiKey,
): Promise<void> => {
  printChapter('Try it yourself. The service runs until you press Ctrl-C; the next demo starts from scratch.');
  print(`
   ${api.address}/docs            try every endpoint
   ${api.address}/openapi.json    the OpenAPI document

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
  printChapter('Or open the console as the administrator. The link works once, and expires in an hour.');
  print(`
   ${await makeConsoleLink()}

   A new link:  PORT=${new URL(api.address).port} DATA_DIR=${dataDir} npm run -s portico -- console
`);
};
