import { deepStrictEqual, ok } from 'node:assert/strict';
import {
  toClientPair,
  toGroupPair,
  unrestrictedRule,
  type Collection,
  type Instant,
  type OperationKey,
  type OperationRule,
  type Pair,
  type Profile,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { grantPair, toGroupAccessGrant, toOwnAccessGrant } from './granting.ts';
import { addToGroup, addUnrelatedRecords, claimGroups } from './memberships.ts';
import { noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const [key, otherKey] = ['a', 'b'].map((letter) => letter.repeat(16) as OperationKey) as [OperationKey, OperationKey];
const readOnly: OperationRule = { operations: 'read_only', except: [key], ask: [] };
const listed: OperationRule = { operations: [key, otherKey], except: [], ask: [otherKey] };

/** The contract of the stores for grants with rules. */
export const grantRulesContract = {
  'every list shows the rule of a grant, and so does a decision': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    const pairs = [toClientPair(client.id, collection.id), toGroupPair(group.id, collection.id)] as const;
    await grantWith(stores, pairs[0], readOnly);
    await grantWith(stores, pairs[1], listed);
    const grants = [
      { ...toOwnAccessGrant(start), rule: readOnly },
      { ...toGroupAccessGrant(group, start), rule: listed },
    ];
    deepStrictEqual((await stores.grants.listCollections(client.id, start))?.collections[0]?.grants, grants);
    deepStrictEqual((await stores.grants.listClients(collection.id, start))?.[0]?.grants, grants);
    const { id, name } = collection;
    deepStrictEqual(await stores.groups.listCollections(group.id, start), [
      { id, name, grantedAt: start, expiresAt: null, rule: listed },
    ]);
    const filter = { profile: null, group: null, collection: null, expiringBefore: null, liveAt: null };
    const rows = await stores.accessMatrix.listRows(filter, null, 9);
    deepStrictEqual(
      rows.map((row) => row.grant),
      grants,
    );
    await stores.grants.update(pairs, (states) => {
      deepStrictEqual(
        states.map(({ grant }) => grant?.rule),
        [readOnly, listed],
      );
      return noEffects;
    });
  },

  "a row contains the rules of the caller's own grant and of its groups' grants for the target": async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const { group: claimedGroup, collection: otherCollection } = await addUnrelatedRecords(stores);
    await grantWith(stores, toClientPair(client.id, collection.id), readOnly);
    deepStrictEqual(await readRules(stores, client, collection), [readOnly]);
    await grantWith(stores, toGroupPair(group.id, collection.id), listed);
    deepStrictEqual(await readRules(stores, client, collection), [readOnly], 'the client is not a member');
    await addToGroup(stores, group, [client]);
    deepStrictEqual(await readRules(stores, client, collection), sortRules([readOnly, listed]));
    const asking = { ...unrestrictedRule, ask: [key] };
    await grantWith(stores, toGroupPair(claimedGroup.id, collection.id), asking);
    await claimGroups(stores, client, [claimedGroup.name]);
    deepStrictEqual(await readRules(stores, client, collection), sortRules([readOnly, listed, asking]));
    deepStrictEqual(await readRules(stores, client, otherCollection), []);
  },

  'a row contains only the unrestricted rule if one of the grants has no rule': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    const [own, ofGroup] = [toClientPair(client.id, collection.id), toGroupPair(group.id, collection.id)];
    for (const [ownRule, groupRule] of [
      [null, listed],
      [readOnly, null],
      [null, null],
    ] as const) {
      await grantWith(stores, own, ownRule);
      await grantWith(stores, ofGroup, groupRule);
      deepStrictEqual(await readRules(stores, client, collection), [unrestrictedRule]);
    }
  },

  'a row contains no rules of grants that have expired, and none without a target': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await grantWith(stores, toClientPair(client.id, collection.id), null, start + 5);
    await grantWith(stores, toGroupPair(group.id, collection.id), listed, start + 9);
    deepStrictEqual(await readRules(stores, client, collection, start + 4), [unrestrictedRule]);
    deepStrictEqual(await readRules(stores, client, collection, start + 5), [listed]);
    deepStrictEqual(await readRules(stores, client, collection, start + 8), [listed]);
    deepStrictEqual(await readRules(stores, client, collection, start + 9), []);
    deepStrictEqual((await stores.callers.findByUid(client.uid, null, start))?.rules, []);
  },

  'every read sees a changed rule once its promise is fulfilled': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const pair = toClientPair(client.id, collection.id);
    for (const rule of [readOnly, listed, null]) {
      await grantWith(stores, pair, rule);
      deepStrictEqual(await readRules(stores, client, collection), [rule ?? unrestrictedRule]);
    }
  },

  'the rules of several collections are those of their rows; collections without a live grant are omitted': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const [free, ofGroup, both, expired, foreign, omitted] = await Promise.all(
      Array.from({ length: 6 }, async () => (await addUnrelatedRecords(stores)).collection),
    );
    ok(free && ofGroup && both && expired && foreign && omitted);
    const { client: otherClient } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    const toOwn = ({ id }: Collection) => toClientPair(client.id, id);
    await grantWith(stores, toOwn(collection), readOnly);
    await grantWith(stores, toOwn(free), null);
    await grantWith(stores, toGroupPair(group.id, ofGroup.id), listed);
    await grantWith(stores, toOwn(both), readOnly);
    await grantWith(stores, toGroupPair(group.id, both.id), null);
    await grantWith(stores, toOwn(expired), readOnly, start);
    await grantWith(stores, toClientPair(otherClient.id, foreign.id), readOnly);
    await grantWith(stores, toOwn(omitted), readOnly);
    const collections = [collection, free, ofGroup, both, expired, foreign];
    const ids = collections.map(({ id }) => id);
    const rules = await stores.grants.listRules(client.id, ids, start);
    const rows = await Promise.all(
      collections.map(async (target) => [target.id, await readRules(stores, client, target)] as const),
    );
    const expected = rows.filter(([, list]) => list.length > 0);
    deepStrictEqual(
      ids.flatMap((id) => (rules.has(id) ? [[id, removeRepeated(rules.get(id) ?? [])]] : [])),
      expected,
    );
    deepStrictEqual([rules.size, expected.length], [4, 4]);
    deepStrictEqual(await stores.grants.listRules(client.id, [], start), new Map());
  },
} satisfies Contract<Stores>;

/** Grants the pair with this rule, replacing its current grant. */
const grantWith = (
  { grants }: Stores,
  pair: Pair,
  rule: OperationRule | null,
  expiresAt: Instant | null = null,
): Promise<void> => grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, rule, ...noEffects }));

/** Reads the caller in each way that has a target; returns the rules, sorted and each once. */
const readRules = async ({ callers }: Stores, client: Profile, { id }: Collection, now: Instant = start) => {
  ok(client.clientId);
  const rows = [
    await callers.findByUid(client.uid, { id, detail: 'head' }, now),
    await callers.findByClientId(client.clientId, { id, detail: 'full' }, now),
  ] as const;
  const [rules, otherRules] = rows.map((row) => removeRepeated(row?.rules ?? []));
  ok(rules);
  deepStrictEqual(otherRules, rules);
  return rules;
};

const sortRules = (rules: readonly OperationRule[]): readonly OperationRule[] =>
  rules.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Returns each rule once, sorted: a member that was added to a group and also claims it may have its rule twice. */
const removeRepeated = (rules: readonly OperationRule[]): readonly OperationRule[] => [
  ...new Map(sortRules(rules).map((rule) => [JSON.stringify(rule), rule])).values(),
];
