declare const brand: unique symbol;

type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A lower-case UUID. */
export type ProfileId = Branded<'ProfileId'>;

/** A lower-case UUID. */
export type CollectionId = Branded<'CollectionId'>;

/** A lower-case UUID: the public half of an API key pair. */
export type ClientId = Branded<'ClientId'>;

/** A lower-case UUID. */
export type ServiceAccountId = Branded<'ServiceAccountId'>;

/** A lower-case UUID. */
export type EntryId = Branded<'EntryId'>;

/** A lower-case UUID. */
export type GroupId = Branded<'GroupId'>;
/** A lower-case UUID. */
export type RequestId = Branded<'RequestId'>;
/** A lower-case UUID. */
export type CallId = Branded<'CallId'>;
/** A lower-case UUID. */
export type JobId = Branded<'JobId'>;
/** A lower-case UUID. */
export type CredentialId = Branded<'CredentialId'>;
/** A lower-case UUID. */
export type WebhookId = Branded<'WebhookId'>;
/** A lower-case UUID: one attempt to deliver an event to a webhook. */
export type DeliveryId = Branded<'DeliveryId'>;

/** 16 characters of lower-case base32: identifies an operation within its collection. */
export type OperationKey = Branded<'OperationKey'>;

export type Id =
  | ProfileId
  | CollectionId
  | ClientId
  | ServiceAccountId
  | EntryId
  | GroupId
  | RequestId
  | CallId
  | JobId
  | CredentialId
  | WebhookId
  | DeliveryId;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parses an id from outside. Returns it in lower case, or null if the text is not a UUID (RFC 9562, section 4). */
export const parseId = <T extends Id>(text: string): T | null => {
  const lowerCaseText = text.toLowerCase();
  return uuid.test(lowerCaseText) ? (lowerCaseText as T) : null;
};

/** Parses the key of an operation from outside. Returns null if the text is not a key. */
export const parseOperationKey = (text: string): OperationKey | null =>
  /^[a-z2-7]{16}$/.test(text) ? (text as OperationKey) : null;
