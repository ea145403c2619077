import { grantRulesContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { listLiveAccessGrants } from './memory-memberships.ts';

const { listRules, update } = breachesOf('grants');
const { findByClientId, findByUid } = breachesOf('callers');
const { listCollections } = breachesOf('groups');

proveStores('the memory stores, on grants with rules', grantRulesContract, {
  'every list shows the rule of a grant, and so does a decision': listCollections.mapResult(
    (collections) => collections && collections.map((collection) => ({ ...collection, rule: null })),
  ),
  "a row contains the rules of the caller's own grant and of its groups' grants for the target":
    findByClientId.mapResult((row) => row && { ...row, rules: row.rules.slice(0, 1) }),
  'a row contains only the unrestricted rule if one of the grants has no rule': findByUid.mapResult(
    (row, [, target, now], database) => {
      const grants = row && target ? listLiveAccessGrants(database, row.profile.id, target.id, now) : [];
      return row && { ...row, rules: grants.flatMap(({ rule }) => rule ?? []) };
    },
  ),
  'a row contains no rules of grants that have expired, and none without a target': findByUid.mapArguments(
    ([uid, target]) => [uid, target, 0],
  ),
  'every read sees a changed rule once its promise is fulfilled': update.mapDecision((change, [states]) => {
    const put = change.put?.map((grant, index) => ({ ...grant, rule: states[index]?.grant?.rule ?? grant.rule }));
    return { ...change, ...(put && { put }) };
  }),
  'the rules of several collections are those of their rows; collections without a live grant are omitted':
    listRules.mapArguments(([profile, collections]) => [profile, collections, 0]),
});
