/** A server does not let us in, and only a person can change that. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
  /** The login as it was when the server refused it, where that is known: any other one is worth a try. */
  readonly loginStamp: string | undefined;

  constructor(server: string, loginStamp?: string, options?: ErrorOptions) {
    super(`needs login: ${howToLogIn(server)}`, options);
    this.loginStamp = loginStamp;
  }
}

export function howToLogIn(server: string): string {
  return `talaria mcp login ${server}`;
}
