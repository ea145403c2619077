import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createSeededRandom } from '../../src/seeded-random.ts';
import { root } from '../../src/service-process.ts';
import { addClient, addCollection } from '../clients.ts';
import { provideInstallation } from '../provide-installation.ts';
import { performTask, type CallOutcome } from './calling-agent.ts';
import { createMcpSession, type McpSession } from './mcp-session.ts';
import { findSecrets } from './secret-forms.ts';
import { startVerifyingApi, type ApiSecrets, type VerifyingApi } from './verifying-api.ts';

// The promise of calls, from end to end: an agent calls real APIs with the tools alone, and never sees a credential.

const specs = resolve(root, '../shared/data/specs');
const isPresent = existsSync(specs);
if (!isPresent) process.stderr.write(`Skipped: there are no documents at ${specs}\n`);

interface TestedApi {
  readonly document: string;
  /** The bodies that store the credentials, by scheme. */
  readonly credentials: Readonly<Record<string, object>>;
  /** The credential of an API whose document names no scheme. */
  readonly authentication?: object;
  readonly secrets: ApiSecrets;
  readonly tasks: readonly string[];
}

const value = (text: string) => ({ value: text });
const testedApis: readonly TestedApi[] = [
  {
    document: 'github.com-ghes',
    credentials: {},
    authentication: { type: 'bearer', value: 'ghp_16C7e42F292c6912E7/710c838347Ae178B4a' },
    secrets: { values: {}, bearer: 'ghp_16C7e42F292c6912E7/710c838347Ae178B4a' },
    tasks: [
      'create an issue',
      'list pull requests',
      'star a gist',
      'merge a branch',
      'delete a repository',
      'list releases',
    ],
  },
  {
    document: 'stripe.com',
    credentials: { bearerAuth: value('sk_live_4eC39HqLyjWDarjtT1zdp7dc') },
    secrets: { values: { bearerAuth: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' } },
    tasks: [
      'refund a charge',
      'create a customer',
      'list invoices',
      'cancel a subscription',
      'retrieve the balance',
      'delete a coupon',
    ],
  },
  {
    document: 'slack.com',
    credentials: { slackAuth: value('xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy') },
    secrets: { values: { slackAuth: 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy' } },
    tasks: [
      'post a message',
      'list channels',
      'archive a channel',
      'add a reaction',
      'set a reminder',
      'read the profile of a user',
    ],
  },
  {
    document: 'twilio.com-api',
    credentials: { accountSid_authToken: { username: 'AC61f2aa92cf14f7c3', password: 'p"w: d&3c7b/9fé' } },
    secrets: { values: { accountSid_authToken: 'AC61f2aa92cf14f7c3:p"w: d&3c7b/9fé' } },
    tasks: [
      'send a text message',
      'make a call',
      'list recordings',
      'delete a message',
      'buy a phone number',
      'list conferences',
    ],
  },
  {
    document: 'figma.com',
    credentials: { PersonalAccessToken: value('figd_Kq8-vN2_5ecret~figma') },
    secrets: { values: { PersonalAccessToken: 'figd_Kq8-vN2_5ecret~figma' } },
    tasks: [
      'read a file',
      'post a comment',
      'delete a comment',
      'list the projects of a team',
      'create a webhook',
      'list the versions of a file',
    ],
  },
  {
    document: 'bitbucket.org',
    credentials: { api_key: value('Token bb-6PqT9v<x>&"2Zr"') },
    secrets: { values: { api_key: 'Token bb-6PqT9v<x>&"2Zr"' } },
    tasks: [
      'merge a pull request',
      'list branches',
      'create a webhook',
      'delete a snippet',
      'list commits',
      'approve a pull request',
    ],
  },
  {
    document: 'datadoghq.com-v1',
    credentials: { apiKeyAuth: value('dd-api-9f8e7d6c5b4a3928'), appKeyAuth: value('dd-app-1029384756aabbcc') },
    secrets: { values: { apiKeyAuth: 'dd-api-9f8e7d6c5b4a3928', appKeyAuth: 'dd-app-1029384756aabbcc' } },
    tasks: [
      'create a monitor',
      'schedule a downtime',
      'list dashboards',
      'delete a dashboard',
      'get a user',
      'search hosts',
    ],
  },
  {
    document: 'trello.com',
    credentials: { api_key: value('tr3llo key&with=all/of?it%') },
    secrets: { values: { api_key: 'tr3llo key&with=all/of?it%' } },
    tasks: [
      'create a card',
      'read a board',
      'delete a card',
      'list the members of a board',
      'add a checklist',
      'update a list',
    ],
  },
  {
    document: 'paypal.com-checkout_orders',
    credentials: { Oauth2: { client_id: 'AeA1QIZXiflr1_-rv', client_secret: 'EO422dn3gQLgDbuwqTjzrFgFtaRLRR5B' } },
    secrets: {
      values: {
        Oauth2: 'A21AAFEpH4PsADK7qSS7pSRsgzfENtu-Q1ysgEDVDESseMHBYXVJYE8ovjj68elIDy8nF26AwPhfXTIeWAZHSLIsQkSYz9ifg',
      },
      client: 'AeA1QIZXiflr1_-rv:EO422dn3gQLgDbuwqTjzrFgFtaRLRR5B',
    },
    tasks: [
      'show order details',
      'capture a payment',
      'authorize a payment',
      'add tracking information',
      'cancel tracking information',
    ],
  },
  {
    document: 'graphhopper.com',
    credentials: { api_key: value('gh-5ecret+key/7') },
    secrets: { values: { api_key: 'gh-5ecret+key/7' } },
    tasks: [
      'plan a route',
      'geocode an address',
      'match a GPX file to the map',
      'get a matrix',
      'get the batch solution of a matrix',
      'route optimization problem',
    ],
  },
];

/** All texts that may appear in no message. */
const secretsOf = ({ secrets: { values, bearer, client } }: TestedApi): readonly string[] => {
  const texts = [
    ...Object.values(values),
    ...(bearer === undefined ? [] : [bearer]),
    ...(client === undefined ? [] : [client]),
  ];
  // Of a pair, the second part is the secret.
  return texts.flatMap((text) => (/^[\w.@-]+:/.test(text) ? [text, text.replace(/^[^:]*:/, '')] : [text]));
};

/** Returns a document without the servers of paths and operations, which `base_url` does not replace. */
const readDocument = (name: string): { readonly paths: Record<string, Record<string, unknown>> } => {
  const document = JSON.parse(readFileSync(join(specs, `${name}.json`), 'utf8')) as ReturnType<typeof readDocument>;
  for (const item of Object.values(document.paths)) {
    delete item['servers'];
    for (const operation of Object.values(item)) delete (operation as { servers?: unknown } | null)?.servers;
  }
  return document;
};

describe.skipIf(!isPresent)('an agent that calls real APIs with the tools alone', () => {
  const installation = provideInstallation(beforeAll, {
    CALLS: 'on',
    CALL_NETWORKS: '127.0.0.0/8',
    RATE_LIMIT_CALLS: 'off',
    RATE_LIMIT_DEFAULT: '10000/60',
  });
  const ids = new Map<string, string>();
  let standIn: VerifyingApi;
  let api: ApiClient;
  let admin: Credential;
  let session: McpSession;

  const add = async ({ document, credentials, authentication, secrets }: TestedApi): Promise<string> => {
    const openapi_spec = readDocument(document);
    const { baseUrl } = standIn.add(document, JSON.stringify(openapi_spec), secrets);
    const fields = { name: document, description: 'About it', openapi_spec, base_url: baseUrl, authentication };
    const id = await addCollection(api, admin, fields);
    for (const [scheme, content] of Object.entries(credentials))
      await api.request(admin, 'PUT', `/api/collections/${id}/credentials/${scheme}`, content);
    await api.request(admin, 'PUT', `/api/collections/${id}/delivery`, { delivery: 'call' });
    return id;
  };

  beforeAll(async () => {
    standIn = await startVerifyingApi();
    ({ api } = await installation.compose());
    admin = await installation.createAdminToken();
    const client = await addClient(api, admin, 'agent');
    for (const testedApi of testedApis) {
      const id = await add(testedApi);
      ids.set(testedApi.document, id);
      await api.request(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);
    }
    session = createMcpSession(api.address, client);
  });
  afterAll(() => standIn.close());

  test.each(testedApis.map((testedApi) => [testedApi.document, testedApi] as const))(
    'every call of %s arrives, is valid and has its credential, and no message shows it',
    async (document, testedApi) => {
      const random = createSeededRandom(1);
      const calledKeys = new Set<string>();
      const outcomes: CallOutcome[] = [];
      const [firstMessage, firstReflection] = [session.messages.length, standIn.reflections.length];
      for (const task of testedApi.tasks) {
        const outcome = await performTask(
          session,
          { collectionId: ids.get(document) ?? '', task, random },
          ({ operation_key: key, method, path }) => {
            if (calledKeys.has(key)) return false;
            standIn.expect(document, method, path);
            calledKeys.add(key);
            return true;
          },
        );
        outcomes.push(outcome);
        const name = `${task}: ${outcome.operation?.method} ${outcome.operation?.path}: ${outcome.text.slice(0, 300)}`;
        expect(standIn.takeVerdicts(), name).toEqual([{ validation: { kind: 'valid' }, hasSecret: true }]);
        expect(outcome.status, name).toBe(200);
      }
      expect(outcomes.length).toBeGreaterThanOrEqual(5);
      const secrets = secretsOf(testedApi);
      expect(findSecrets(session.messages.slice(firstMessage).join('\n'), secrets)).toEqual([]);
      // The API did reflect them.
      const reflections = standIn.reflections.slice(firstReflection).join('\n');
      expect(findSecrets(reflections, secrets).length).toBeGreaterThanOrEqual(2);
    },
  );
});
