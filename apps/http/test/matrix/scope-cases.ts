import { expect } from 'vitest';
import type { Scope } from '@portico/domain';
import { nameOfPart, type ScopedPart } from '../../src/route.ts';
import { callerNames, type CallerName } from './callers.ts';
import type { Aim } from './endpoint.ts';
import type { MatrixCase } from './matrix-case.ts';
import { expectRefusal, scopeRequired } from './refusals.ts';
import { presented, rows, send, type Row } from './request.ts';
import { aimedAt, targetOf } from './targets.ts';
import type { World } from './world.ts';

const accountWith = (scope: Scope | null): CallerName => {
  const name = callerNames.find((one) => one === `a service account with ${scope}`);
  if (!name) throw new Error(`No caller has the scope ${scope}`);
  return name;
};

/** A request that has the part besides. */
const havingPart = (world: World, part: ScopedPart, aim: Aim): Aim =>
  'member' in part
    ? { ...aim, json: { ...(aim.json as object | undefined), [part.member]: world.tier } }
    : { ...aim, query: `?${part.parameter}=${part.word}` };

/** The same with what would be a 400: other parts come first in it. */
const spoilt = (part: ScopedPart, aim: Aim): Aim =>
  'member' in part
    ? { ...aim, json: { ...(aim.json as object), name: 7, [part.member]: 7 } }
    : { ...aim, query: `?${part.parameter}=nothing,%20${part.word}&${part.parameter}=` };

/** A part of a request may take a further scope: 403 comes before 400 and 404. */
export const scopeCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.scopedParts.flatMap((part) => of(row, part)),
);

function of(row: Row, part: ScopedPart): readonly MatrixCase[] {
  const named = `${row.name} with ${nameOfPart(part)}`;
  const refused: MatrixCase = {
    name: `${named} returns 403 for a service account without ${part.scope}, or without ${row.scope}`,
    run: async (world, tell) => {
      const aim = havingPart(world, part, row.aim(world));
      const missing = row.variables.map((variable) => aimedAt(aim, variable, targetOf(variable).missing));
      const credential = await presented(world, accountWith(row.scope));
      for (const asked of [aim, ...missing, spoilt(part, aim)]) {
        const reply = await send(world, row, asked, credential);
        expectRefusal(reply, scopeRequired(part.scope));
        tell(reply);
      }
      const other = await presented(world, accountWith(part.scope));
      expectRefusal(await send(world, row, aim, other), scopeRequired(row.scope ?? ''));
    },
  };
  const taken: MatrixCase = {
    name: `${named} returns ${row.status} for a service account with both, and for an admin`,
    run: async (world) => {
      for (const caller of ['a service account with every scope', 'the first admin'] as const) {
        const aim = havingPart(world, part, await (row.freshAim ?? row.aim)(world));
        const { status, text } = await send(world, row, aim, await presented(world, caller));
        expect([status, text]).toEqual([row.status, text]);
      }
    },
  };
  return [refused, taken];
}
