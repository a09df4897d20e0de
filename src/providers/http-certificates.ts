import { readFileSync } from 'node:fs';
import type { SecureContext } from 'node:tls';

import { describeError } from '../base/errors.ts';
import type { Environment } from './http-proxy.ts';

const variables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const;

/**
 * What to trust besides the authorities that everyone trusts, or undefined where nothing is named. Node reads these
 * variables itself only at its start, and only from the process, so that a `.env` file would come too late.
 */
export function trustExtraCertificates(environment: Environment): SecureContext | undefined {
  const extra = variables.flatMap((name) => readCertificates(name, environment(name)));
  if (extra.length === 0) return undefined;
  const tls = process.getBuiltinModule('node:tls');
  // Made once for all connections: reading some hundred certificates takes longer than a handshake.
  return tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...extra] });
}

function readCertificates(name: string, path: string | undefined): readonly string[] {
  if (path === undefined || path.trim() === '') return [];
  try {
    return [readFileSync(path, 'utf8')];
  } catch (thrown) {
    throw new Error(`the certificates of ${name} cannot be read: ${describeError(thrown)}`, { cause: thrown });
  }
}
