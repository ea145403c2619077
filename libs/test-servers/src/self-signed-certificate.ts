import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skipUnlessRequired } from './skip-unless-required.ts';
import { findOnPath } from './binaries.ts';

export interface Certificate {
  /** The private key in PEM. */
  readonly key: string;
  /** The certificate in PEM. */
  readonly cert: string;
}

/** Returns a self-signed certificate with a new key, valid for a day; null without `openssl`: Node cannot sign one. */
export function createSelfSignedCertificate(names = ['DNS:localhost', 'IP:127.0.0.1']): Certificate | null {
  const openssl = findOnPath('openssl');
  if (!openssl) return skipUnlessRequired('A self-signed certificate', 'install openssl');
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    execFileSync(
      openssl,
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
        ...['-subj', '/CN=Portico test', '-addext', `subjectAltName=${names.join(',')}`, '-keyout', key, '-out', cert],
      ],
      { stdio: 'pipe' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
