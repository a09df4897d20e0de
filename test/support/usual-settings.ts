import { isJsonObject } from '../../src/base/json.ts';
import type { JsonObject } from '../../src/base/json.ts';

/**
 * Settings of a house in which commands run in the system as it is, unless the test says otherwise: whether the machine has
 * a sandbox decides what is asked about, and a test is to mean the same everywhere.
 */
export function withUsualSettings(settings: JsonObject): JsonObject {
  const terminal = settings['terminal'];
  return { ...settings, terminal: { sandbox: 'off', ...(isJsonObject(terminal) ? terminal : {}) } };
}
