import type { MiddlewareHandler } from 'hono';
import type { WebEnv } from './web-env.ts';

// Nothing inline, nothing from elsewhere, no string that becomes HTML: what a model writes stays text.
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** On every answer, errors included. */
const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'cache-control': 'no-store',
};

/** On the connection itself, where no later answer can leave them out, and each costs a tenth of what it does on the way. */
export const secureHeaders: MiddlewareHandler<WebEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(safeHeaders)) c.env.outgoing.setHeader(name, value);
  await next();
};
