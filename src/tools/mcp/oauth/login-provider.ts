import { randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export interface LoginWishes {
  readonly redirectUrl: string;
  /** As whom we are known, where the settings say so. */
  readonly client: StoredOAuthClientInformation | undefined;
  readonly scope: string | undefined;
}

/** One login, from the beginning to the tokens. It begins with nothing, so that another account can be chosen. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  /** What whoever comes back must bring along: nobody else knows it. */
  readonly #state = randomBytes(24).toString('base64url');
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';
  #address: URL | undefined;

  constructor({ redirectUrl, client, scope }: LoginWishes) {
    this.redirectUrl = redirectUrl;
    this.#client = client;
    this.clientMetadata = {
      client_name: 'Talaria',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope !== undefined && { scope }),
    };
  }

  /** Where the person has to go. */
  get address(): URL | undefined {
    return this.#address;
  }

  state(): string {
    return this.#state;
  }

  /** A client of the settings is for whoever the server names: they were written for that server. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    return this.#client && { ...(context && { issuer: context.issuer }), ...this.#client };
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.#address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}
