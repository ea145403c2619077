import {
  accountIdOf,
  accountTokenPrefix,
  isWellFormedSecret,
  parseId,
  type ClientId,
  type Credential,
} from '@portico/domain';

const authorizationMaxBytes = 8_192;

/** A bearer token (RFC 6750, section 2.1), with a case-insensitive scheme (RFC 9110, section 11.1) and one space. */
const bearer = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Returns the credential of a request. `rawHeaders` contains alternating names and values as received, so repeated
 * headers are still visible. A key pair is sent in two headers, or as one string: as the API key without an identifier,
 * or as a token. A service account's token is accepted only as a bearer token. Both forms together, half a key pair, a
 * repeated or invalid header, and an API secret sent as a token are `malformed`.
 */
export const credentialOf = (rawHeaders: readonly string[]): Credential => {
  const authorization = createSlot();
  const clientId = createSlot();
  const secret = createSlot();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const slot = slotOf(name, authorization, clientId, secret);
    if (!slot) continue;
    slot.count += 1;
    slot.value = rawHeaders[index + 1] ?? '';
  }
  const keyHeaderCount = clientId.count + secret.count;
  if (authorization.count + keyHeaderCount === 0) return { kind: 'none' };
  if (authorization.count === 0) {
    if (secret.count !== 1 || clientId.count > 1) return malformedKey;
    if (clientId.count === 0) return keyPairOf(secret.value) ?? malformedKey;
    return { kind: 'key', clientId: clientId.value, secret: secret.value };
  }
  return authorization.count === 1 && keyHeaderCount === 0 ? tokenOf(authorization.value) : malformedToken;
};

const malformedToken: Credential = { kind: 'malformed', credentialKind: 'token' };
const malformedKey: Credential = { kind: 'malformed', credentialKind: 'key' };

interface Slot {
  count: number;
  value: string;
}

const createSlot = (): Slot => ({ count: 0, value: '' });

/**
 * Returns the slot for a header, or null. Compares lengths first, which rules out most headers without lower-casing
 * their names.
 */
const slotOf = (name: string, authorization: Slot, clientId: Slot, secret: Slot): Slot | null => {
  switch (name.length) {
    case 13:
      return name.toLowerCase() === 'authorization' ? authorization : null;
    case 11:
      return name.toLowerCase() === 'x-client-id' ? clientId : null;
    case 9:
      return name.toLowerCase() === 'x-api-key' ? secret : null;
    default:
      return null;
  }
};

const tokenOf = (header: string): Credential => {
  if (header.length > authorizationMaxBytes) return malformedToken;
  const token = bearer.exec(header)?.[1];
  if (token === undefined) return malformedToken;
  if (token.startsWith(accountTokenPrefix)) return accountOf(token);
  return keyPairOf(token) ?? (isWellFormedSecret(token) ? malformedKey : { kind: 'token', token });
};

const accountOf = (token: string): Credential => {
  const id = accountIdOf(token);
  return id ? { kind: 'account', id, token } : malformedToken;
};

const clientIdLength = 36;

/**
 * Returns the key pair from `<client_id>.<client_secret>`, or null for any other text. A JWT cannot have this form: it
 * has three parts, and its first part, an object in base64url, does not look like a UUID.
 */
const keyPairOf = (text: string): Credential | null => {
  if (text.charAt(clientIdLength) !== '.' || text.includes('.', clientIdLength + 1)) return null;
  const clientId = text.slice(0, clientIdLength);
  return parseId<ClientId>(clientId) ? { kind: 'key', clientId, secret: text.slice(clientIdLength + 1) } : null;
};
