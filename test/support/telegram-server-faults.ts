/** What goes wrong with one call. Descriptions are the Bot API's own words. */
export type TelegramFault =
  | { readonly type: 'answers'; readonly status: number; readonly description: string; readonly parameters?: object }
  /** What stands in front of the API answers for it, and not in JSON. */
  | { readonly type: 'answers-html'; readonly status: number }
  | { readonly type: 'drops-before-acting' }
  | { readonly type: 'drops-after-acting' }
  /** Acts and answers only once the gate opens. */
  | { readonly type: 'waits'; readonly gate: Promise<void> };

export function floods(retryAfter: number): TelegramFault {
  const description = `Too Many Requests: retry after ${retryAfter}`;
  return { type: 'answers', status: 429, description, parameters: { retry_after: retryAfter } };
}

export function refuses(status: number, description: string): TelegramFault {
  return { type: 'answers', status, description };
}

export const cannotParseEntities = refuses(
  400,
  "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 3",
);
export const messageIsTooLong = refuses(400, 'Bad Request: message is too long');
export const internalError = refuses(500, 'Internal Server Error');
export const badGateway: TelegramFault = { type: 'answers-html', status: 502 };
export const dropsBefore: TelegramFault = { type: 'drops-before-acting' };
export const dropsAfter: TelegramFault = { type: 'drops-after-acting' };

/** An error that the API answers a call with. */
export class TelegramRefusal extends Error {
  readonly status: number;
  readonly parameters: object | undefined;

  constructor(status: number, description: string, parameters?: object) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

export function badRequest(description: string): TelegramRefusal {
  return new TelegramRefusal(400, `Bad Request: ${description}`);
}
