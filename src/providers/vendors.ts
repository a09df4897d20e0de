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
