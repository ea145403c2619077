import { expect, test } from 'vitest';
import { tools } from './table.ts';

test('each tool has a unique name that every client accepts', () => {
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  for (const { name } of tools) expect(name).toMatch(/^[a-z_]{1,64}$/);
});

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'the JSON Schema of the arguments of %s uses only basic keywords',
  (_name, { description, inputSchema }) => {
    expect(description).toMatch(/\.$/);
    expect(inputSchema['type']).toBe('object');
    const text = JSON.stringify(inputSchema);
    for (const keyword of ['anyOf', 'null', '$schema', '$ref', 'pattern']) expect(text).not.toContain(keyword);
    for (const schema of Object.values(inputSchema['properties'] as object)) expect(schema).toHaveProperty('type');
  },
);

test('tools that change something or return a secret are not marked as read-only', () => {
  expect(tools.filter(({ isReadOnly }) => !isReadOnly).map(({ name }) => name)).toEqual([
    'call_operation',
    'read_credential',
    'request_access',
    'record_call',
  ]);
});
