/** A server does not let us in, and only a person can change that. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';

  constructor(server: string, options?: ErrorOptions) {
    super(`needs login: ${howToLogIn(server)}`, options);
  }
}

export function howToLogIn(server: string): string {
  return `talaria mcp login ${server}`;
}
