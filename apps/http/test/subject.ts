import type { LocalSignIn } from '@portico/composition';
import type { Mail, Ports, Settings, UseCases } from '@portico/domain';
import type { HttpSettings } from '../src/settings.ts';
import type { LocalIssuerDocuments } from '../src/route.ts';
import type { ApiKey, TestClient } from './client.ts';
import type { Reply } from './reply.ts';

/** A running service of any composition, and the means for a test to control it. */
export interface Subject {
  readonly client: TestClient;
  readonly useCases: UseCases;
  /** The issuer of the tokens that `mint` creates. */
  readonly issuer: string;
  readonly mint: (
    claims: {
      readonly uid: string;
      readonly email?: string;
      readonly emailVerified?: boolean;
      /** The claim `groups`; requires the option `groupsClaim`. */
      readonly groups?: readonly string[];
    },
    /**
     * The lifetime, one hour by default. Negative values also backdate the issue time. A token is accepted for a minute
     * after its expiry.
     */
    ttlSeconds?: number,
  ) => Promise<string>;
  /** Creates one-time codes as the local issuer; null without the option `hasLocalSignIn`. */
  readonly invite: LocalSignIn['invite'] | null;
  /** Runs the waiting jobs. */
  readonly runJobs: () => Promise<void>;
  /** The emails sent; null if they cannot be inspected. */
  readonly mails: readonly Mail[] | null;
  /** The service's clock; null if it cannot be moved. */
  readonly clock: { readonly advance: (milliseconds: number) => void; readonly now: () => number } | null;
  readonly listLogLines: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface StartOptions {
  readonly settings?: Partial<Settings>;
  readonly http?: Partial<HttpSettings>;
  readonly ports?: (ports: Ports) => Partial<Ports>;
  readonly localIssuer?: LocalIssuerDocuments;
  readonly responseTimeoutMs?: number;
  /** Whether the service is its own identity provider for browsers. */
  readonly hasLocalSignIn?: boolean;
  /** Whether the service reads the claim `groups` of tokens. The service in memory always does. */
  readonly groupsClaim?: boolean;
}

/** Starts a service without data. */
export type Start = (options?: StartOptions) => Promise<Subject>;

export interface Person {
  readonly id: string;
  readonly uid: string;
  readonly email: string;
  readonly token: string;
}

export interface Client extends Person {
  readonly key: ApiKey;
}

export const smallDocument = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

/** Creates the objects that most tests need, over HTTP. */
export const createFixtures = async ({ client, useCases, issuer, mint }: Subject) => {
  let count = 0;
  const nextNumber = (): number => ++count;
  const adminProfile = await useCases.claimFirstAdmin({ uid: 'first-admin', email: 'admin@example.com', issuer });
  const admin = await mint({ uid: 'first-admin' });

  const register = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Person> => {
    const uid = `uid-${nextNumber()}`;
    const email = `${uid}@example.com`;
    const json = { firebase_uid: uid, email, full_name: `Person ${uid}`, ...fields };
    const reply = expectStatus(await client.call('POST', '/api/profiles/register', { json }), 201);
    return { id: textOf(reply.body.id), uid, email, token: await mint({ uid, email }) };
  };
  const approve = async (person: Person): Promise<Client> => {
    const reply = await client.call('POST', `/api/profiles/${person.id}/approve`, { token: admin });
    const { client_id, client_secret } = expectStatus(reply, 200).body;
    return { ...person, key: { clientId: textOf(client_id), secret: textOf(client_secret) } };
  };
  return {
    admin,
    adminId: adminProfile?.id ?? '',
    register,
    approve,
    newClient: async (): Promise<Client> => approve(await register()),
    newCollection: async (fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const json = {
        name: `Collection ${nextNumber()}`,
        description: 'About it',
        openapi_spec: smallDocument,
        ...fields,
      };
      const reply = await client.call('POST', '/api/collections/', { token: admin, json });
      return textOf(expectStatus(reply, 201).body.id);
    },
    grant: async (person: Person, collection: string): Promise<Reply> =>
      client.call('POST', `/api/access/clients/${person.id}/collections/${collection}`, { token: admin }),
    revoke: async (person: Person, collection: string): Promise<Reply> =>
      client.call('DELETE', `/api/access/clients/${person.id}/collections/${collection}`, { token: admin }),
  };
};

export type Fixtures = Awaited<ReturnType<typeof createFixtures>>;

export const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`Not a string: ${JSON.stringify(value)}`);
  return value;
};

export const expectStatus = (reply: Reply, status: number): Reply => {
  if (reply.status !== status) throw new Error(`Expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`);
  return reply;
};

export const unknownId = '11111111-1111-4111-8111-111111111111';
