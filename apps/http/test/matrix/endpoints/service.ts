import { expect } from 'vitest';
import type { Endpoint, Endpoints } from '../endpoint.ts';
import { object, objectWith, text, type Shape } from '../shapes.ts';

const free = (answer: Shape, more: Partial<Endpoint> = {}): Endpoint => ({
  auth: 'free',
  status: 200,
  answer,
  aim: () => ({}),
  ...more,
});

export const serviceEndpoints: Endpoints = {
  'GET /health': free(object(['status', 'service']), {
    holds: ({ body }) => expect(body).toEqual({ status: 'healthy', service: 'portico' }),
  }),
  'GET /ready': free(object(['status', 'checks', 'operations']), { ofComposition: true }),
  'GET /metrics': free(text('text/plain; version=0.0.4; charset=utf-8', /^# HELP /m), { ofComposition: true }),
  'GET /openapi.json': free(objectWith('openapi', 'info', 'paths', 'components'), { ofComposition: true }),
  'GET /': free(text('text/plain; charset=utf-8', /^\/console\/\n$/), {
    status: 302,
    holds: ({ headers }) => expect(headers.location).toBe('/console/'),
  }),
  'GET /docs': free(text('text/html; charset=utf-8', /^<!doctype html>/)),
  'GET /docs/{file}': free(text('text/javascript; charset=utf-8', /openapi\.json/), {
    aim: () => ({ params: { file: 'initializer.js' } }),
  }),
  // OpenID Connect Discovery 1.0, section 3, the part about verifying ID tokens; RFC 7517, section 5.
  'GET /.well-known/openid-configuration': free(objectWith('issuer', 'jwks_uri'), {
    ofIssuer: true,
    ofComposition: true,
  }),
  'GET /console/config.json': free(object(['service', 'version', 'ways']), { ofComposition: true }),
  // RFC 9728, section 2.
  'GET /.well-known/oauth-protected-resource/mcp': free(
    object(['resource', 'resource_name', 'authorization_servers', 'bearer_methods_supported']),
    { ofComposition: true },
  ),
  'GET /.well-known/jwks.json': free(object(['keys']), { ofIssuer: true, ofComposition: true }),
};
