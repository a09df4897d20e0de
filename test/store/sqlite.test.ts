import { describeStoreConformance } from './conformance.ts';

describeStoreConformance('the SQLite store', new URL('../support/store-sqlite-opener.ts', import.meta.url));
