import { expect } from 'vitest';
import type { Scope } from '@portico/domain';
import { nameOfPart, type ScopedPart } from '../../src/route.ts';
import { callerNames, type CallerName } from './callers.ts';
import type { Target } from './endpoint.ts';
import type { MatrixCase } from './matrix-case.ts';
import { expectRefusal, scopeRequired } from './refusals.ts';
import { credentialOf, rows, send, type Row } from './request.ts';
import { withParameter, pathParameterOf } from './path-parameters.ts';
import type { World } from './world.ts';

const accountWith = (scope: Scope | null): CallerName => {
  const name = callerNames.find((one) => one === `a service account with ${scope}`);
  if (!name) throw new Error(`No caller has the scope ${scope}`);
  return name;
};

/** Returns the target with the scoped part added. */
const withPart = (world: World, part: ScopedPart, target: Target): Target =>
  'member' in part
    ? { ...target, json: { ...(target.json as object | undefined), [part.member]: world.tier } }
    : { ...target, query: `?${part.parameter}=${part.word}` };

/**
 * Returns the target with the scoped part and invalid values, which would result in a 400. The scoped part does not
 * come first.
 */
const withInvalidPart = (part: ScopedPart, target: Target): Target =>
  'member' in part
    ? { ...target, json: { ...(target.json as object), name: 7, [part.member]: 7 } }
    : { ...target, query: `?${part.parameter}=nothing,%20${part.word}&${part.parameter}=` };

/** A part of a request may require an additional scope: 403 comes before 400 and 404. */
export const scopeCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.scopedParts.flatMap((part) => casesOf(row, part)),
);

function casesOf(row: Row, part: ScopedPart): readonly MatrixCase[] {
  const prefix = `${row.name} with ${nameOfPart(part)}`;
  const denied: MatrixCase = {
    name: `${prefix} returns 403 for a service account without ${part.scope}, or without ${row.scope}`,
    run: async (world, record) => {
      const target = withPart(world, part, row.target(world));
      const missing = row.variables.map((variable) =>
        withParameter(target, variable, pathParameterOf(variable).missing),
      );
      const credential = await credentialOf(world, accountWith(row.scope));
      for (const variant of [target, ...missing, withInvalidPart(part, target)]) {
        const reply = await send(world, row, variant, credential);
        expectRefusal(reply, scopeRequired(part.scope));
        record(reply);
      }
      const other = await credentialOf(world, accountWith(part.scope));
      expectRefusal(await send(world, row, target, other), scopeRequired(row.scope ?? ''));
    },
  };
  const allowed: MatrixCase = {
    name: `${prefix} returns ${row.status} for a service account with both, and for an admin`,
    run: async (world) => {
      for (const caller of ['a service account with every scope', 'the first admin'] as const) {
        const target = withPart(world, part, await (row.freshTarget ?? row.target)(world));
        const { status, text } = await send(world, row, target, await credentialOf(world, caller));
        expect([status, text]).toEqual([row.status, text]);
      }
    },
  };
  return [denied, allowed];
}
