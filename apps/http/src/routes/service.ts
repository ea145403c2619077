import { PorticoError, type OperationProgress, type Readiness } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, toReadyResponse } from '../responses/route-response.ts';
import { readDocumentationFile, createDocumentationPage } from '../openapi/documentation-page.ts';
import { defineRoute } from '../route.ts';
import { operationProgress, toReasonView } from './wire.ts';

const health = z
  .object({ status: z.enum(['healthy']), service: z.string().meta({ examples: ['portico'] }) })
  .meta({ id: 'Health' });
const readiness = z
  .object({
    status: z.enum(['ready', 'not ready', 'draining']),
    checks: z.record(
      z.string(),
      z.object({
        status: z.enum(['ok', 'unavailable']),
        essential: z.boolean(),
        reason: z.string().optional().meta({ description: 'The reason why it is unavailable, if known.' }),
      }),
    ),
    operations: operationProgress.nullable().meta({
      description:
        'The progress of reading and embedding the operations of collections for search; null while it is unknown.',
    }),
  })
  .meta({ id: 'Readiness' });

export const serviceRoutes = [
  defineRoute({
    method: 'GET',
    path: '/health',
    operation: 'readHealth',
    summary: 'Check whether the service is alive',
    description: 'Does not check dependencies.',
    auth: 'free',
    isProbe: true,
    acceptsAnyHost: true,
    status: 200,
    response: health,
    handler: ({ service }) => toJsonResponse({ status: 'healthy' as const, service: service.name }),
  }),
  defineRoute({
    method: 'GET',
    path: '/ready',
    operation: 'readReadiness',
    summary: 'Check whether the service is ready',
    description: 'Returns the state of each dependency and, if it is unavailable, the reason if known.',
    auth: 'free',
    isProbe: true,
    acceptsAnyHost: true,
    status: 200,
    response: readiness,
    alternativeStatuses: { 503: 'An essential dependency is unavailable, or the service is shutting down.' },
    handler: async ({ useCases, service }) => {
      const readiness = await useCases.readReadiness();
      // Without the database, there is nothing to count.
      const operations = readiness.ready ? await useCases.readOperationProgress().catch(() => null) : null;
      const view = toReadinessView(readiness, service.isDraining(), operations);
      return toJsonResponse(view, {}, view.status === 'ready' ? 200 : 503);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/metrics',
    operation: 'readMetrics',
    summary: 'Metrics in the Prometheus text format',
    description: 'The metrics of this process only.',
    auth: 'free',
    isProbe: true,
    status: 200,
    mediaType: 'text/plain',
    response: z.string(),
    handler: async ({ service }) =>
      toReadyResponse(await service.readMetrics(), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    operation: 'readOpenApi',
    summary: 'This document',
    description: 'Generated from the schemas that validate requests, so it describes exactly the accepted input.',
    auth: 'free',
    status: 200,
    response: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }),
    handler: ({ service }) => toReadyResponse(service.getOpenApiDocument()),
  }),
  defineRoute({
    method: 'GET',
    path: '/',
    operation: 'readRoot',
    summary: 'Redirect to the console',
    description: 'This path has no other purpose.',
    isHidden: true,
    auth: 'free',
    status: 302,
    response: null,
    handler: () =>
      toReadyResponse('/console/\n', { Location: '/console/', 'Content-Type': 'text/plain; charset=utf-8' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs',
    operation: 'readDocumentation',
    summary: 'Interactive documentation',
    description: 'This document as a page.',
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: () => createDocumentationPage(),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs/:file',
    operation: 'readDocumentationFile',
    summary: 'A part of the interactive documentation',
    description: 'A file that the page loads.',
    params: { file: { description: 'The name of the file.', schema: { type: 'string' }, example: 'swagger-ui.css' } },
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: async ({ params }) => {
      const file = await readDocumentationFile(params.file ?? '');
      if (!file) throw new PorticoError('not_found');
      return file;
    },
  }),
] as const;

const toReadinessView = (
  { ready: isReady, parts }: Readiness,
  draining: boolean,
  operations: OperationProgress | null,
): z.input<typeof readiness> => ({
  status: draining ? 'draining' : isReady ? 'ready' : 'not ready',
  checks: Object.fromEntries(parts.map((part) => [part.name, toCheckView(part)])),
  operations: operations && { ...operations },
});

const toCheckView = ({ essential, state }: Readiness['parts'][number]) => ({
  status: state.status,
  essential,
  ...toReasonView(state),
});
