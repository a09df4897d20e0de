import { auth, computeScopeUnion, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { Clock } from '../../../base/clock.ts';
import { describeError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { HeldLogin, LoggingIn, LoginPerson, LoginWishes, McpLogins } from '../../../model/mcp-logins.ts';
import type { HttpPlace } from '../../../model/mcp-settings.ts';
import { LoginNeeded } from '../login-needed.ts';
import { configuredClient, expiryOf } from './login-parts.ts';
import { LoginProvider } from './login-provider.ts';
import { readPasted } from './redirect-answer.ts';
import { openRedirectListener } from './redirect-listener.ts';
import type { LoginEnd, Returned } from './redirect-listener.ts';
import { withDeadline } from './with-deadline.ts';

export interface LogInDeps {
  readonly logins: McpLogins;
  readonly secret: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly fetch: FetchLike;
  /** Connects without any login, but for what is given: throws where the server does not let that in. */
  readonly knock: (login: AuthProvider) => Promise<void>;
}

const patienceMs = 5 * 60 * 1000;
const longestProblem = 400;

/** Logs a person in at a server that asks for it, in their browser, and keeps what comes of it. */
export async function logIn(
  server: string,
  place: HttpPlace,
  wishes: LoginWishes,
  deps: LogInDeps,
): Promise<LoggingIn> {
  try {
    const challenge = await knock(server, deps);
    if (challenge === undefined) return { type: 'not-asked' };
    const scope = computeScopeUnion(challenge.scope, place.oauth.scope, wishes.scope);
    const keep = (held: HeldLogin): Promise<void> =>
      deps.logins.exclusively(server, () => deps.logins.write(server, held));
    await runFlow(place, { ...challenge, scope }, wishes.person, { ...deps, keep });
    return { type: 'logged-in' };
  } catch (thrown) {
    return { type: 'failed', problem: describeError(thrown).slice(0, longestProblem) };
  }
}

interface Challenge {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

/** What the server says to one that it does not know; undefined where it lets that one in. */
async function knock(server: string, deps: LogInDeps): Promise<Challenge | undefined> {
  let challenge: Challenge = {};
  try {
    await deps.knock({
      token: () => Promise.resolve(undefined),
      onUnauthorized({ response }) {
        challenge = extractWWWAuthenticateParams(response);
        throw new LoginNeeded(server);
      },
    });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof LoginNeeded) return challenge;
    throw thrown;
  }
}

interface FlowDeps extends LogInDeps {
  readonly keep: (held: HeldLogin) => Promise<void>;
}

async function runFlow(place: HttpPlace, challenge: Challenge, person: LoginPerson, deps: FlowDeps): Promise<void> {
  const { promise: end, resolve: conclude } = Promise.withResolvers<LoginEnd>();
  await using listener = await openRedirectListener(place.oauth.redirectPort);
  const client = configuredClient(place.oauth, deps.secret);
  const provider = new LoginProvider({ redirectUrl: listener.url, client, scope: challenge.scope });
  const { scope, resourceMetadataUrl } = challenge;
  const options = {
    serverUrl: place.url,
    fetchFn: withDeadline(deps.fetch),
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  };
  try {
    await begin(provider, options);
    const returned = listener.listen(provider.state(), end);
    person.show(requireWebAddress(provider.address));
    const { code, issuer } = await requireCode(returned, provider.state(), person, deps);
    await auth(provider, { ...options, authorizationCode: code, ...(issuer !== undefined && { iss: issuer }) });
    await deps.keep(toHeld(place.url, client === undefined ? provider.clientInformation() : undefined, provider, deps));
    conclude('logged-in');
  } catch (thrown) {
    conclude('failed');
    throw thrown;
  }
}

/** Finds out where to log in, and registers the program there unless it is known. */
async function begin(provider: LoginProvider, options: Parameters<typeof auth>[1]): Promise<void> {
  try {
    await auth(provider, options);
  } catch (thrown) {
    const isUnknown = provider.discoveryState() !== undefined && provider.clientInformation() === undefined;
    if (!isUnknown) throw thrown;
    const hint = 'a client id that you got there by hand goes into the settings, as oauth.client_id';
    throw new Error(`it does not register the program (${describeError(thrown)}); ${hint}`, { cause: thrown });
  }
}

/** It is opened by a program of the system, and comes from outside. */
function requireWebAddress(address: URL | undefined): string {
  if (address?.protocol === 'https:' || address?.protocol === 'http:') return address.href;
  throw new Error('the server names no address at which one can log in');
}

async function requireCode(
  returned: Promise<Returned>,
  state: string,
  person: LoginPerson,
  { clock }: LogInDeps,
): Promise<Extract<Returned, { readonly type: 'code' }>> {
  const over = new AbortController();
  const late = clock.sleep(patienceMs, over.signal).then(() => nobodyCame);
  late.catch(() => undefined);
  const answer = await Promise.race([returned, waitForPaste(state, person), late]).finally(() => over.abort());
  if (answer.type === 'refused') throw new Error(answer.problem);
  return answer;
}

const nobodyCame: Returned = { type: 'refused', problem: 'nobody came back from the browser within 5 minutes' };

async function waitForPaste(state: string, person: LoginPerson): Promise<Returned> {
  for await (const line of person.pasted) {
    if (line.trim() === '') continue;
    const answer = readPasted(line, state);
    if (answer.type !== 'foreign') return answer;
    person.complain(
      'That is not the address that this login leads back to: it begins with http://127.0.0.1 and has a code.',
    );
  }
  // Nobody can paste anything here; the browser may still come by itself.
  return await new Promise<never>(() => undefined);
}

/** A client that the settings name is not kept: its secret is looked up anew each time. */
function toHeld(
  url: string,
  registered: ReturnType<LoginProvider['clientInformation']>,
  provider: LoginProvider,
  { clock }: LogInDeps,
): HeldLogin {
  const tokens = provider.tokens();
  const discovery = provider.discoveryState();
  if (tokens === undefined || discovery === undefined) throw new Error('the login brought no token');
  return {
    type: 'held',
    url,
    client: (registered ?? {}) as unknown as JsonObject,
    discovery: discovery as unknown as JsonObject,
    tokens: tokens as unknown as JsonObject,
    expiresAt: expiryOf(tokens, clock.now()),
  };
}
