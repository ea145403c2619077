import type { Json, Principal, UseCases } from '@portico/domain';
import { z } from 'zod';
import { refuseUnknown, takesBlank, validBody } from '../requests/fields.ts';

/** What a tool may use to answer a call. */
export interface ToolContext {
  readonly useCases: UseCases;
  /** The caller as admitted; a tool about one collection reads it again together with that (`readTarget`). */
  readonly principal: Principal;
}

/** What a tool returns: words for a model, and the same as data for programs where that is more than the words. */
export interface ToolAnswer {
  readonly text: string;
  readonly data?: { readonly [name: string]: Json };
  /** What to do next, apart from a text that is data itself. */
  readonly note?: string;
}

/** A row of the table of tools. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Whether a call leaves nothing behind, except in the audit log. */
  readonly isReadOnly: boolean;
  /** JSON Schema of the arguments. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type?: string }>>;
  } & Readonly<Record<string, unknown>>;
  /** Throws `invalid_body` for arguments that do not match or that it does not have. */
  readonly call: (context: ToolContext, given: unknown) => Promise<ToolAnswer>;
}

interface ToolDefinition<Input extends z.ZodObject> extends Pick<Tool, 'name' | 'description' | 'isReadOnly'> {
  readonly input: Input;
  readonly answer: (context: ToolContext, input: z.output<Input>) => Promise<ToolAnswer>;
}

/** Defines a row. The compiler checks that its answer uses only the arguments that the row declares. */
export const defineTool = <Input extends z.ZodObject>({ input, answer, ...facts }: ToolDefinition<Input>): Tool => {
  const inputSchema = inputSchemaOf(input);
  const types = new Map(Object.entries(inputSchema.properties).map(([name, { type }]) => [name, type]));
  return {
    ...facts,
    inputSchema,
    call: (context, sent) => {
      const given: Readonly<Record<string, unknown>> = { ...(sent ?? {}) };
      refuseUnknown('invalid_body', input, Object.keys(given));
      const meant = Object.entries(given).map(([name, value]) => [name, meaning(types.get(name), value)]);
      return answer(context, validBody(input, Object.fromEntries(meant)));
    },
  };
};

/** What a value means where this type is expected: some models send every number and boolean as text. */
const meaning = (type: string | undefined, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const spelt = type === 'boolean' ? /^(?:true|false)$/ : type === 'integer' || type === 'number' ? aNumber : null;
  return spelt?.test(value) ? (JSON.parse(value) as unknown) : value;
};

/** As JSON writes numbers, without an exponent. */
const aNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Left out, because a model reads every byte, and the arguments are checked when they come. */
const unlisted = ['$schema', 'pattern', 'minLength', 'maxLength'] as const;

const inputSchemaOf = (input: z.ZodObject): Tool['inputSchema'] => {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      for (const name of unlisted) delete jsonSchema[name];
      if (takesBlank(zodSchema)) hideNull(jsonSchema);
    },
  });
  delete schema.$schema;
  return { ...schema, type: 'object', properties: (schema.properties ?? {}) as Tool['inputSchema']['properties'] };
};

/** An argument that is null counts as absent, but no model has to know. */
const hideNull = (schema: z.core.JSONSchema.BaseSchema): void => {
  const { type, anyOf = [] } = schema;
  delete schema.anyOf;
  const [named] = Array.isArray(type) ? (type as 'null'[]).filter((one) => one !== 'null') : [];
  Object.assign(schema, named ? { type: named } : anyOf.find((option) => option.type !== 'null'));
};
