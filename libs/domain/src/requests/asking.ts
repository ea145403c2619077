import type { CollectionId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import { isSuspended } from '../profiles/suspension-machine.ts';
import { pendingRequestsMax } from './access-request.ts';

/** The facts for a decision about who asks for what. */
export interface AskState {
  /** Null if there is none by now. */
  readonly profile: Profile | null;
  /** Null if there is none. */
  readonly collection: { readonly id: CollectionId; readonly name: string; readonly discoverable: boolean } | null;
  /** Whether the profile has the collection at that moment, by its own grant or a group's. */
  readonly granted: boolean;
  /** Whether a request of the pair is pending. */
  readonly requested: boolean;
  /** How many requests of the profile are pending. */
  readonly pending: number;
}

export type AskRefusal =
  | 'invalid_token'
  | 'approval_required'
  | 'needs_no_grant'
  | 'collection_not_found'
  | 'already_granted'
  | 'already_requested'
  | 'too_many_pending';

export type AskRule = (state: AskState) => AskRefusal | null;

const askerIsThere: AskRule = ({ profile }) => (profile && !isSuspended(profile) ? null : 'invalid_token');

const askerIsApproved: AskRule = ({ profile }) => (profile?.status === 'approved' ? null : 'approval_required');

const askerIsClient: AskRule = ({ profile }) => (profile?.role === 'admin' ? 'needs_no_grant' : null);

/** A collection that the asker cannot see in the catalog is one that does not exist. */
const collectionIsShown: AskRule = ({ collection, granted }) =>
  collection && (collection.discoverable || granted) ? null : 'collection_not_found';

const notYetGranted: AskRule = ({ granted }) => (granted ? 'already_granted' : null);

const notYetRequested: AskRule = ({ requested }) => (requested ? 'already_requested' : null);

const fewEnough: AskRule = ({ pending }) => (pending < pendingRequestsMax ? null : 'too_many_pending');

/** In the order in which they are checked; each names its refusal. */
export const askingRules = [
  askerIsThere,
  askerIsApproved,
  askerIsClient,
  collectionIsShown,
  notYetGranted,
  notYetRequested,
  fewEnough,
];
