/** Texts of signing in, and of what somebody is told who may not go on. */
export const session = {
  title: 'Sign in',
  intro: 'Portico keeps the APIs of your organisation in one place, and says who may use them.',
  by: (name: string) => `Sign in with ${name}`,
  byCode: 'Sign in with a one-time code',
  codeHint: 'An operator gets a code by the command',
  codeCommand: 'portico console',
  email: 'E-mail',
  password: 'Password',
  noWay: 'No way to sign in is configured: the identity provider is missing.',
  failed: 'Signing in failed',
  cannotStart: 'The identity provider cannot be reached.',
  originMissing: (origin: string, client: string) =>
    `The identity provider did not let this page fetch a token. Add ${origin} to the allowed web origins (CORS) of the client ${client} there. If they are right, the provider may be away: try again.`,
  secretWanted: (client: string, theirs: string) =>
    `The client ${client} wants a secret at the identity provider, and a page cannot keep one. Make it a public client there (no client authentication, no secret). The provider says: ${theirs}`,
  denied: (client: string, theirs: string) =>
    `The identity provider denied access. Either the sign-in was cancelled, or this account may not use the client ${client}: then let the account use it there. The provider says: ${theirs}`,
  endedTitle: 'Your sign-in has ended',
  ended: 'Sign in again to go on. What you have entered stays here.',
  again: 'Sign in again',
  registerTitle: 'Register',
  register: 'You are signed in, but not registered yet. An administrator will look at your registration.',
  fullName: 'Full name',
  company: 'Company (optional)',
  send: 'Register',
  pendingTitle: 'Waiting for approval',
  pending: 'Your registration has been sent. An administrator has to approve it; you will get an e-mail.',
  check: 'Check again',
  rejectedTitle: 'Registration rejected',
  rejected: 'An administrator has rejected your registration. Ask one if you think that this is wrong.',
  refusedTitle: 'You are not let in',
  refused: (who: string) =>
    `Signing in as ${who} worked, but Portico lets nobody in as this account: it is suspended, or belongs to another identity provider. Ask an administrator.`,
};
