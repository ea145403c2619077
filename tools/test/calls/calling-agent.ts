import { generateArguments } from '../../src/calls-echo/generate-arguments.ts';
import type { SeededRandom } from '../../src/seeded-random.ts';
import type { McpSession } from './mcp-session.ts';

export interface FoundOperation {
  readonly operation_key: string;
  readonly method: string;
  readonly path: string;
}

type Schema = Readonly<Record<string, unknown>>;

interface Slice {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly authentication: readonly (readonly { readonly in: string | null; readonly name: string | null }[])[] | null;
  readonly request_body: {
    readonly required?: boolean;
    readonly content_type: string | null;
    readonly schema?: Schema;
  } | null;
}

export interface CallOutcome {
  /** Null if the search returned no new operation. */
  readonly operation: FoundOperation | null;
  /** The text of the last answer. */
  readonly text: string;
  readonly status: number | null;
}

/**
 * Performs a task with the tools alone: searches, reads the description of the first result that `isNew` accepts, and
 * calls it with generated arguments, which it corrects as often as the service rejects them.
 */
export const performTask = async (
  session: McpSession,
  {
    collectionId,
    task,
    random,
  }: { readonly collectionId: string; readonly task: string; readonly random: SeededRandom },
  isNew: (operation: FoundOperation) => boolean,
): Promise<CallOutcome> => {
  const search = await session.call('search_operations', { query: task, collection_id: collectionId, limit: 10 });
  const { operations } = JSON.parse(search.texts[0] ?? '') as { readonly operations: readonly FoundOperation[] };
  const operation = operations.find(isNew);
  if (!operation) return { operation: null, text: search.texts.join('\n'), status: null };
  const target = { collection_id: collectionId, operation_key: operation.operation_key };
  const { texts } = await session.call('describe_operation', { ...target, max_bytes: 262_144 });
  let text = 'no arguments fit the description';
  for (const args of generateArguments(toInputSchema(JSON.parse(texts[0] ?? '') as Slice), random)) {
    const answer = await session.call('call_operation', { ...target, arguments: args });
    text = answer.texts.join('\n');
    if (answer.isError && /valid ones/.test(text)) continue;
    const status = answer.isError ? null : (JSON.parse(text) as { readonly status: number }).status;
    return { operation, text, status };
  }
  return { operation, text, status: null };
};

/** Returns the schema of the arguments: the parameters, except the credentials, and the members of the body. */
const toInputSchema = ({ parameters, authentication, request_body: body }: Slice): Schema => {
  const isCredential = (location: string, name: string): boolean =>
    (authentication?.[0] ?? []).some(
      (credential) => credential.in === location && credential.name?.toLowerCase() === name.toLowerCase(),
    );
  const ownParameters = parameters.filter(({ in: location, name }) => !isCredential(location, name));
  const bodySchema = body && toBodySchema(body);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(ownParameters.map(({ name, schema }) => [name, schema ?? { type: 'string' }])),
      ...bodySchema?.properties,
    },
    required: [
      ...ownParameters.filter(({ required, in: location }) => required ?? location === 'path').map(({ name }) => name),
      ...(bodySchema?.required ?? []),
    ],
  };
};

const toBodySchema = ({ schema = {}, content_type: type, required }: NonNullable<Slice['request_body']>) => {
  const hasMembers = schema['properties'] !== undefined && !('oneOf' in schema) && !('anyOf' in schema);
  if (/json|form/.test(type ?? '') && hasMembers)
    return {
      properties: schema['properties'] as Schema,
      required: required === false ? [] : ((schema['required'] ?? []) as readonly string[]),
    };
  return {
    properties: { body: /json|form/.test(type ?? '') ? schema : { type: 'string' } },
    required: required === false ? [] : ['body'],
  };
};
