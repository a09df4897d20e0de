import { sep } from 'node:path';

const loginFolders: ReadonlySet<string> = new Set(['.aws', '.azure', '.gnupg', '.kube', '.ssh', 'gcloud']);
const openInside = /^(?:known_hosts.*|config|.*\.pub)$/;
const loginFiles: ReadonlySet<string> = new Set([
  '.git-credentials',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '_netrc',
  'credentials.json',
  'gshadow',
  'shadow',
]);
const loginNames = /^(?:\.env(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?|.+\.(?:jks|key|keystore|p12|pem|pfx))$/;
const examples = /\.(?:example|sample|template|dist)$/;
const loginPaths = /\/(?:\.docker\/config\.json|\.config\/gh\/hosts\.yml|\.config\/op\/.*)$/;

/**
 * Whether a file, by its name and place, may hold something that logs its owner in somewhere. What a model reads leaves
 * the machine, so that reading one is asked about. Pure.
 */
export function mayHoldLogin(path: string): boolean {
  // To some file systems the case of a letter is nothing.
  const names = path.toLowerCase().split(sep);
  const name = names.at(-1) ?? '';
  if (names.slice(0, -1).some((folder) => loginFolders.has(folder))) return !openInside.test(name);
  return loginFiles.has(name) || loginPaths.test(path.toLowerCase()) || (loginNames.test(name) && !examples.test(name));
}
