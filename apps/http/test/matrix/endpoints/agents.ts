import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { object, text } from '../shapes.ts';

/** Endpoints only for agents. The tools' results for each caller are tested with the official clients. */
export const agentEndpoints: Endpoints = {
  'POST /mcp': {
    response: object(['jsonrpc', 'id', 'result'], { result: ['tools'] }),
    target: () => ({ json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
    verify: ({ bytes }) => expect(bytes.length).toBeLessThanOrEqual(5_120),
    badBodies: [{}, { jsonrpc: '2.0' }, { jsonrpc: '1.0', method: 'ping' }, { jsonrpc: '2.0', method: 1 }],
  },
  'GET /llms.txt': {
    response: text('text/plain; charset=utf-8', /^# /),
    target: () => ({}),
  },
};
