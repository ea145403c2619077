import { ownedRequestsContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { create, decide, list } = breachesOf('requests');

proveStores('the memory request store for owners', ownedRequestsContract, {
  'a decision gets the state of the collection': decide.mapDecisionInput(([state]) => [
    { ...state, lifecycle: 'active' },
  ]),
  'a new request gets the state of the collection': create.mapDecisionInput(([state]) => [
    { ...state, collection: state.collection && { ...state.collection, lifecycle: 'active' } },
  ]),
  'a decision knows whether its decider owns the collection at that time': decide.mapDecisionInput(
    ([state], [, , decider]) => [{ ...state, isOwned: decider !== null }],
  ),
  "an owner's requests are those for its collections, with or without its own": list.mapArguments(([filter, page]) => [
    { ...filter, ownedBy: filter.ownedBy ? { ...filter.ownedBy, own: 'included' } : null },
    page,
  ]),
});
