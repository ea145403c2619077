import { PorticoError, type OperationProgress, type Readiness } from '@portico/domain';
import { z } from 'zod';
import { json, ready } from '../responses/route-response.ts';
import { documentationFile, documentationPage } from '../openapi/documentation-page.ts';
import { defineRoute } from '../route.ts';
import { operationProgress, reasonView } from './wire.ts';

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
        reason: z.string().optional().meta({ description: 'Why it is unavailable, if known.' }),
      }),
    ),
    operations: operationProgress.nullable().meta({
      description: 'Collections whose operations are read and embedded, for search; null while unknown.',
    }),
  })
  .meta({ id: 'Readiness' });

export const serviceRoutes = [
  defineRoute({
    method: 'GET',
    path: '/health',
    operation: 'readHealth',
    summary: 'Check whether the service is alive',
    description: 'Checks no dependency.',
    auth: 'free',
    probe: true,
    status: 200,
    response: health,
    handler: ({ service }) => json({ status: 'healthy' as const, service: service.name }),
  }),
  defineRoute({
    method: 'GET',
    path: '/ready',
    operation: 'readReadiness',
    summary: 'Check whether the service is ready',
    description: 'Shows the state of each dependency, and the reason if it is unavailable, if known.',
    auth: 'free',
    probe: true,
    status: 200,
    response: readiness,
    alternatives: { 503: 'An essential dependency does not work, or the service is shutting down.' },
    handler: async ({ useCases, service }) => {
      const readiness = await useCases.readReadiness();
      // Without the database, there is nothing to count.
      const operations = readiness.ready ? await useCases.readOperationProgress().catch(() => null) : null;
      const view = readinessView(readiness, service.isDraining(), operations);
      return json(view, {}, view.status === 'ready' ? 200 : 503);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/metrics',
    operation: 'readMetrics',
    summary: 'Metrics in the Prometheus text format',
    description: 'Of this process only.',
    auth: 'free',
    probe: true,
    status: 200,
    media: 'text/plain',
    response: z.string(),
    handler: async ({ service }) =>
      ready(await service.metrics(), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
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
    handler: ({ service }) => ready(service.openApi()),
  }),
  defineRoute({
    method: 'GET',
    path: '/',
    operation: 'readRoot',
    summary: 'Redirect to the console',
    description: 'There is nothing else here.',
    hidden: true,
    auth: 'free',
    status: 302,
    response: null,
    handler: () => ready('/console/\n', { Location: '/console/', 'Content-Type': 'text/plain; charset=utf-8' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs',
    operation: 'readDocumentation',
    summary: 'Interactive documentation',
    description: 'This document as a page.',
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: () => documentationPage(),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs/:file',
    operation: 'readDocumentationFile',
    summary: 'A part of the interactive documentation',
    description: 'A file that the page loads.',
    params: { file: { description: 'Its name.', schema: { type: 'string' }, example: 'swagger-ui.css' } },
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: async ({ params }) => {
      const file = await documentationFile(params.file ?? '');
      if (!file) throw new PorticoError('not_found');
      return file;
    },
  }),
] as const;

const readinessView = (
  { ready: works, parts }: Readiness,
  draining: boolean,
  operations: OperationProgress | null,
): z.input<typeof readiness> => ({
  status: draining ? 'draining' : works ? 'ready' : 'not ready',
  checks: Object.fromEntries(parts.map((part) => [part.name, checkView(part)])),
  operations: operations && { ...operations },
});

const checkView = ({ essential, state }: Readiness['parts'][number]) => ({
  status: state.status,
  essential,
  ...reasonView(state),
});
