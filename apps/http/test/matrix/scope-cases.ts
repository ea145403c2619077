import { expect } from 'vitest';
import type { Scope } from '@portico/domain';
import { nameOfPart, type ScopedPart } from '../../src/route.ts';
import { callerNames, type CallerName } from './callers.ts';
import type { Target } from './endpoint.ts';
import type { MatrixCase } from './matrix-case.ts';
import { expectError, createScopeError } from './errors.ts';
import { credentialOf, rows, send, type Row } from './request.ts';
import { withParameter, pathParameterOf } from './path-parameters.ts';
import type { World } from './world.ts';

const findAccountCaller = (scope: Scope | null): CallerName => {
  const name = callerNames.find((callerName) => callerName === `a service account with ${scope}`);
  if (!name) throw new Error(`No caller has the scope ${scope}`);
  return name;
};

/** Returns the target with the scoped part added. */
const addPart = (world: World, part: ScopedPart, target: Target): Target =>
  'member' in part
    ? { ...target, json: { ...(target.json as object | undefined), [part.member]: valueOf(world, part.member) } }
    : { ...target, query: `?${part.parameter}=${part.word}` };

const valueOf = ({ tier }: World, member: string): unknown =>
  ({ operations: 'all', except: [], ask: [] })[member] ?? tier;

/**
 * Returns the target with the scoped part and invalid values, which would result in a 400. The scoped part does not
 * come first.
 */
const addInvalidPart = (part: ScopedPart, target: Target): Target =>
  'member' in part
    ? { ...target, json: { ...(target.json as object), name: 7, [part.member]: 7 } }
    : { ...target, query: `?${part.parameter}=nothing,%20${part.word}&${part.parameter}=` };

/** A part of a request may require an additional scope: 403 comes before 400 and 404. */
export const scopeCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.scopedParts.flatMap((part) => casesOf(row, part)),
);

function casesOf(row: Row, part: ScopedPart): readonly MatrixCase[] {
  const prefix = `${row.name} with ${nameOfPart(part)}`;
  const deniedCase: MatrixCase = {
    name: `${prefix} returns 403 for a service account without ${part.scope}, or without ${row.scope}`,
    run: async (world, record) => {
      const target = addPart(world, part, row.target(world));
      const missingTargets = row.variables.map((variable) =>
        withParameter(target, variable, pathParameterOf(variable).missingValue),
      );
      const credential = await credentialOf(world, findAccountCaller(row.scope));
      for (const variant of [target, ...missingTargets, addInvalidPart(part, target)]) {
        const reply = await send(world, row, variant, credential);
        expectError(reply, createScopeError(part.scope));
        record(reply);
      }
      const otherCredential = await credentialOf(world, findAccountCaller(part.scope));
      expectError(await send(world, row, target, otherCredential), createScopeError(row.scope ?? ''));
    },
  };
  const allowedCase: MatrixCase = {
    name: `${prefix} returns ${row.status} for a service account with both scopes, and for an admin`,
    run: async (world) => {
      for (const caller of ['a service account with every scope', 'the first admin'] as const) {
        const target = addPart(world, part, await (row.freshTarget ?? row.target)(world));
        const { status, text } = await send(world, row, target, await credentialOf(world, caller));
        expect([status, text]).toEqual([row.status, text]);
      }
    },
  };
  return [deniedCase, allowedCase];
}
