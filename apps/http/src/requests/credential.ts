import { isWellFormedSecret, type Credential } from '@portico/domain';

const authorizationMaxBytes = 8_192;

/** RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1) and one space. */
const bearer = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Returns the credential of a request. `rawHeaders` alternates names and values as received, so it still shows repeated
 * headers. Both forms at once, half a key pair, a repeated or invalid header, and an API secret sent as a token are
 * `malformed`.
 */
export const credentialOf = (rawHeaders: readonly string[]): Credential => {
  const authorization = createSlot();
  const clientId = createSlot();
  const secret = createSlot();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const slot = slotOf(name, authorization, clientId, secret);
    if (!slot) continue;
    slot.count += 1;
    slot.value = rawHeaders[at + 1] ?? '';
  }
  const ofKey = clientId.count + secret.count;
  if (authorization.count + ofKey === 0) return { kind: 'none' };
  if (authorization.count === 0) {
    return clientId.count === 1 && secret.count === 1
      ? { kind: 'key', clientId: clientId.value, secret: secret.value }
      : malformedKey;
  }
  return authorization.count === 1 && ofKey === 0 ? tokenOf(authorization.value) : malformedToken;
};

const malformedToken: Credential = { kind: 'malformed', form: 'token' };
const malformedKey: Credential = { kind: 'malformed', form: 'key' };

interface Slot {
  count: number;
  value: string;
}

const createSlot = (): Slot => ({ count: 0, value: '' });

/** Compares lengths first: that rules out most headers without lower-casing their names. */
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
  return isWellFormedSecret(token) ? malformedKey : { kind: 'token', token };
};
