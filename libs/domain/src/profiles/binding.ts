import type { IdentityClaims } from '../ports/token-verifier.ts';
import type { Settings } from '../settings.ts';

/**
 * Whether a first identity token may bind the profile with its uid. Registration carries no credential, so anyone could
 * have registered this uid under another e-mail (specification, section 2, "Binding").
 */
export const bindingAgrees = (
  check: Settings['identityEmailCheck'],
  email: string,
  claims: IdentityClaims,
): boolean => {
  switch (check) {
    case 'off':
      return true;
    case 'claimed':
      return claims.email === null || claims.email === email;
    case 'verified':
      return claims.email === email && claims.emailVerified;
  }
};
