import { describeFacts } from '../../agents/model-facts.ts';
import type { SurveyedModel } from '../../agents/survey-models.ts';
import type { JsonObject } from '../../base/json.ts';
import { microUsdPerUsd } from '../../model/money.ts';
import type { MicroUsd } from '../../model/money.ts';
import type { VendorKey } from '../app-port.ts';
import { neutralise } from '../render/neutralise.ts';

/** One line a model, then whose keys are there. Pure. */
export function renderModels(rows: readonly SurveyedModel[], vendors: readonly VendorKey[]): string {
  const labels = rows.map(labelOf);
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map((row, index) => {
    const problem = row.problem === undefined ? '' : `\n${' '.repeat(labelWidth + 2)}cannot be used: ${row.problem}`;
    return `${(labels[index] ?? '').padEnd(labelWidth)}  ${row.name.padEnd(nameWidth)}  ${describeFacts(row)}${problem}`;
  });
  return neutralise(`${[...lines, '', ...describeKeys(vendors)].join('\n')}\n`);
}

function labelOf({ role, alias }: SurveyedModel): string {
  switch (role) {
    case 'primary':
      return 'default';
    case 'fallback':
      return 'fallback';
    case 'alias':
      return `alias ${alias ?? ''}`;
  }
}

function describeKeys(vendors: readonly VendorKey[]): readonly string[] {
  const there = vendors.filter(({ hasKey }) => hasKey).map(({ name, keys }) => `${name} (${keys.join(', ')})`);
  const missing = vendors.filter(({ keyName, hasKey }) => keyName !== undefined && !hasKey).map(({ name }) => name);
  const keyless = vendors
    .filter(({ keyName, hasKey }) => keyName === undefined && !hasKey)
    .map(({ name }) => (name === 'custom' ? 'custom (any address)' : name));
  return [
    `keys are there for: ${there.length === 0 ? 'nobody' : there.join(', ')}`,
    ...(missing.length === 0 ? [] : [`no key for: ${missing.join(', ')}`]),
    `without a key: ${[...keyless, 'demo'].join(', ')}`,
  ];
}

/** For programs: prices in US dollars for a million tokens, null where unknown. Pure. */
export function asJson({ role, alias, name, window, price, problem }: SurveyedModel): JsonObject {
  return {
    role,
    ...(alias === undefined ? {} : { alias }),
    name,
    window: window ?? null,
    price: {
      input: inUsd(price?.input),
      cacheRead: inUsd(price?.cacheRead),
      cacheWrite: inUsd(price?.cacheWrite),
      output: inUsd(price?.output),
    },
    problem: problem ?? null,
  };
}

function inUsd(amount: MicroUsd | undefined): number | null {
  return amount === undefined ? null : amount / microUsdPerUsd;
}
