import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { object, text } from '../shapes.ts';

/** What is for agents alone. What each tool shows to whom is tested with the official clients. */
export const agentEndpoints: Endpoints = {
  'POST /mcp': {
    answer: object(['jsonrpc', 'id', 'result'], { result: ['tools'] }),
    aim: () => ({ json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
    holds: ({ bytes }) => expect(bytes.length).toBeLessThanOrEqual(4_096),
    badBodies: [{}, { jsonrpc: '2.0' }, { jsonrpc: '1.0', method: 'ping' }, { jsonrpc: '2.0', method: 1 }],
  },
  'GET /llms.txt': {
    answer: text('text/plain; charset=utf-8', /^# /),
    aim: () => ({}),
  },
};
