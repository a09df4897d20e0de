import { testScenario } from '../tools/mcp/conformance-scenario.ts';

// Not among them: `2025-03-26-oauth-metadata-backcompat`, whose server names itself by another address than it is found at, which
// the library refuses; and those for programs that log in without a person.
for (const name of [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  '2025-03-26-oauth-endpoint-fallback',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
]) {
  testScenario(`auth/${name}`, []);
}
