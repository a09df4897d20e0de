import type {
  OAuthClientInformationMixed,
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { HeldLogin } from '../../../model/mcp-logins.ts';
import type { McpOAuthSettings } from '../../../model/mcp-settings.ts';

/** The parts of a login are written as the library made them, and read back as what they were. */
export function readTokens(login: HeldLogin): OAuthTokens {
  return login.tokens as unknown as OAuthTokens;
}

export function readClient(login: HeldLogin): OAuthClientInformationMixed {
  return login.client as unknown as OAuthClientInformationMixed;
}

export function readDiscovery(login: HeldLogin): OAuthDiscoveryState {
  return login.discovery as unknown as OAuthDiscoveryState;
}

/** As whom the settings say that we are known; undefined where they leave that to the server. Throws without the secret. */
export function configuredClient(
  { clientId, clientSecretEnv }: McpOAuthSettings,
  secret: (name: string) => string | undefined,
): StoredOAuthClientInformation | undefined {
  if (clientId === undefined) return undefined;
  if (clientSecretEnv === undefined) return { client_id: clientId };
  const value = secret(clientSecretEnv);
  if (value === undefined)
    throw new Error(`${clientSecretEnv} is not set, in .env beside the settings or in the environment`);
  return { client_id: clientId, client_secret: value };
}

export function expiryOf({ expires_in: seconds }: OAuthTokens, now: number): number | undefined {
  return seconds === undefined ? undefined : now + seconds * 1000;
}
