/** Text for signing in, and of the pages for people who cannot continue. */
export const session = {
  title: 'Sign in',
  intro: 'Portico keeps the APIs of your organisation in one place, and controls who may use them.',
  signInWith: (name: string) => `Sign in with ${name}`,
  signInWithCode: 'Sign in with a one-time code',
  codeHint: 'An operator gets a code with the command',
  codeCommand: 'portico console',
  email: 'Email',
  password: 'Password',
  noMethod: 'No sign-in method is configured: the identity provider is missing.',
  failed: 'Sign-in failed',
  cannotStart: 'The identity provider cannot be reached.',
  originMissing: (origin: string, client: string) =>
    `The identity provider did not let this page fetch a token. Add ${origin} to the allowed web origins (CORS) of the client ${client} at the provider. If it is already allowed, the provider may be unavailable: try again.`,
  secretRequired: (client: string, providerMessage: string) =>
    `The client ${client} requires a secret at the identity provider, and a web page cannot keep one. Make it a public client there (no client authentication, no secret). The provider reports: ${providerMessage}`,
  denied: (client: string, providerMessage: string) =>
    `The identity provider denied access. Either the sign-in was cancelled, or this account may not use the client ${client}: if so, allow it there. The provider reports: ${providerMessage}`,
  expiredTitle: 'Your session has expired',
  expired: 'Sign in again to continue. Nothing you have entered is lost.',
  signInAgain: 'Sign in again',
  registerTitle: 'Register',
  register: 'You are signed in, but not registered yet. An administrator will review your registration.',
  fullName: 'Full name',
  company: 'Company (optional)',
  send: 'Register',
  pendingTitle: 'Waiting for approval',
  pending: 'Your registration has been sent. An administrator has to approve it; you will get an email.',
  checkAgain: 'Check again',
  rejectedTitle: 'Registration rejected',
  rejected: 'An administrator has rejected your registration. Contact one if you think this is a mistake.',
  accountDeniedTitle: 'Access denied',
  accountDenied: (account: string) =>
    `You signed in as ${account}, but Portico does not accept this account: it is suspended, or belongs to another identity provider. Contact an administrator.`,
};
