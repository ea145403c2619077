import { toPreparedRequestView, type PreparedRequest } from '@portico/domain';
import { z } from 'zod';
import { wordsParameter } from '../requests/fields.ts';
import { sampleNames, type SampleName } from '../samples/languages.ts';
import { printSamples } from '../samples/request-samples.ts';

/** The methods of operations in OpenAPI documents. */
export const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const;

/** A credential that a request needs, without its value. */
export const credential = z.object({
  scheme: z.string().nullable().meta({ description: 'The name of the security scheme in the document.' }),
  type: z.enum(['apiKey', 'bearer', 'basic', 'oauth2', 'openIdConnect', 'mutualTLS', 'http', 'other']),
  in: z.enum(['header', 'query', 'cookie']).nullable().meta({
    description: 'Where it is sent; null if it is not a part of the request, or computed.',
  }),
  name: z.string().nullable(),
  prefix: z.string().nullable().meta({ description: 'The text before the value.' }),
  scopes: z.array(z.string()),
  token_url: z.string().nullable(),
  hint: z.string().nullable().meta({ description: 'Describes the credential.' }),
  stored: z.boolean().meta({ description: 'Whether this service stores it.' }),
});

/** The maximum size of a request with arguments: a body of 1 MiB in base64, and other arguments. */
export const argumentBytesMax = 2_097_152;

export const operationArguments = z
  .record(z.string(), z.json())
  .meta({ description: "The arguments of the operation's tool (`as=tool`).", examples: [{ id: 'mfrggz' }] });

export const preparation = z.object({ arguments: operationArguments }).meta({ id: 'OperationArguments' });

export const preparedRequest = z
  .object({
    method: z.enum(methods),
    url: z.string(),
    headers: z
      .array(z.array(z.string()).length(2))
      .meta({ description: 'Pairs of name and value; a name can occur several times.' }),
    body: z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })]).nullable(),
    credentials: z
      .array(credential.pick({ scheme: true, in: true, name: true, prefix: true, stored: true }))
      .meta({ description: 'The credentials to add; none of their values is included.' }),
    curl: z.string().nullable().meta({ description: 'A shell command with placeholders for the credentials.' }),
    warnings: z.array(z.string()),
    samples: z
      .partialRecord(z.enum(sampleNames), z.string())
      .optional()
      .meta({
        description:
          'Code that sends the request, with placeholders for the credentials, by name; present with `?samples=…`. ' +
          '`warnings` says why one is missing.',
      }),
  })
  .meta({ id: 'PreparedRequest' });

export const preparationQuery = z.object({
  samples: wordsParameter(sampleNames)
    .optional()
    .meta({ description: 'Adds code that sends the request, in these languages.' }),
});

/** Returns a prepared request in the form of the API, with samples if their names are not null. */
export const toPreparedView = async (
  request: PreparedRequest,
  names: readonly SampleName[] | null,
): Promise<z.input<typeof preparedRequest>> => {
  const { samples, warnings } = await printSamples(request, names ?? []);
  return {
    ...toPreparedRequestView(request),
    // Safe: only these methods are read from a document.
    method: request.method as (typeof methods)[number],
    warnings: [...request.warnings, ...warnings],
    ...(names ? { samples } : {}),
  };
};
