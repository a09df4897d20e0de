import type { Runtime } from '../model/runtime.ts';
import { plainDialect } from './openai-chat-request.ts';
import type { ChatDialect } from './openai-chat-request.ts';
import { localVendors, remoteVendors } from './vendor-rows.ts';
import type { Vendor } from './vendor-rows.ts';

export type { Vendor } from './vendor-rows.ts';

/** In the order in which keys are looked for. */
export const vendors: readonly Vendor[] = [...remoteVendors, ...localVendors];

export function findVendor(name: string): Vendor | undefined {
  return vendors.find((vendor) => vendor.name === name);
}

export function dialectOf(vendorName: string): ChatDialect {
  return findVendor(vendorName)?.dialect ?? plainDialect;
}

/** Whether a runtime is told how hard to think; where its vendor is not known to take it, nothing is sent. */
export function isToldEffort({ apiMode, vendor }: Pick<Runtime, 'apiMode' | 'vendor'>): boolean {
  return apiMode !== 'chat_completions' || dialectOf(vendor).effort !== 'unknown';
}

/** Whether an address is the vendor's own. What only its own servers know is never sent to whoever stands in for them. */
export function isOwnAddress({ vendor, baseUrl }: Pick<Runtime, 'vendor' | 'baseUrl'>): boolean {
  const own = findVendor(vendor)?.baseUrl;
  return own !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).host === new URL(own).host;
}
