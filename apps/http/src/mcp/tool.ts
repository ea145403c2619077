import type { Json, Principal, UseCases } from '@portico/domain';
import { z } from 'zod';
import { rejectUnknownNames, acceptsBlank, validateBody } from '../requests/fields.ts';
import { convertArgument } from './convert-argument.ts';

/** The context of a call to a tool. */
export interface ToolContext {
  readonly useCases: UseCases;
  /**
   * The admitted caller. A tool that uses one collection reads the caller again, together with the collection
   * (`readTarget`).
   */
  readonly principal: Principal;
  /** The URL of the console, where people sign in and register. */
  readonly consoleUrl: string;
}

/**
 * The result of a tool. Some clients give a model only the text of a result, others only its structured content, so a
 * tool returns one value, which is sent as both; or only a text.
 */
export type ToolResult = DataResult | TextResult;

/** Everything that a tool has to say, including advice about the next step. */
interface DataResult {
  readonly data: { readonly [name: string]: Json };
  readonly text?: never;
}

interface TextResult {
  readonly text: string;
  /** Advice about the next step, kept separate because the text is data. */
  readonly note?: string;
  readonly data?: never;
}

/** A row of the tool table. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Whether a call changes nothing except the audit log. */
  readonly isReadOnly: boolean;
  /** Whether a call may change or remove something that already exists. */
  readonly isDestructive?: boolean;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type?: string }>>;
  } & Readonly<Record<string, unknown>>;
  /** Calls the tool. Throws `invalid_body` for invalid or unknown arguments. */
  readonly call: (context: ToolContext, args: unknown) => Promise<ToolResult>;
}

interface ToolDefinition<Input extends z.ZodObject> extends Pick<
  Tool,
  'name' | 'description' | 'isReadOnly' | 'isDestructive'
> {
  readonly input: Input;
  readonly handle: (context: ToolContext, input: z.output<Input>) => Promise<ToolResult>;
}

/** Defines a tool. The compiler checks that the handler uses only the arguments that the tool declares. */
export const defineTool = <Input extends z.ZodObject>({
  input,
  handle: runTool,
  ...metadata
}: ToolDefinition<Input>): Tool => {
  const inputSchema = inputSchemaOf(input);
  return {
    ...metadata,
    inputSchema,
    call: (context, args) => {
      const values: Readonly<Record<string, unknown>> = { ...(args ?? {}) };
      rejectUnknownNames('invalid_body', input, Object.keys(values));
      return runTool(context, validateBody(input, convertArgument(inputSchema, values)));
    },
  };
};

/**
 * The keywords omitted from a tool's schema, because a model reads every byte, and the arguments are validated anyway.
 */
const hiddenKeywords = ['$schema', 'pattern', 'minLength', 'maxLength'] as const;

const inputSchemaOf = (input: z.ZodObject): Tool['inputSchema'] => {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      for (const name of hiddenKeywords) delete jsonSchema[name];
      if (acceptsBlank(zodSchema)) hideNull(jsonSchema);
    },
  });
  delete schema.$schema;
  return { ...schema, type: 'object', properties: (schema.properties ?? {}) as Tool['inputSchema']['properties'] };
};

/** Removes null from a schema: a null argument counts as absent, but models do not need to know that. */
const hideNull = (schema: z.core.JSONSchema.BaseSchema): void => {
  const { type, anyOf = [] } = schema;
  delete schema.anyOf;
  const [baseType] = Array.isArray(type) ? (type as 'null'[]).filter((typeName) => typeName !== 'null') : [];
  Object.assign(schema, baseType ? { type: baseType } : anyOf.find((option) => option.type !== 'null'));
};
