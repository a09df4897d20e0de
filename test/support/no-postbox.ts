import type { Postbox } from '../../src/model/postbox.ts';

/** For toolboxes without a gateway around them: there is nobody to write to. */
export const noPostbox: Postbox = {
  find: () => Promise.resolve(undefined),
  reach: () => Promise.resolve([]),
  post: () => Promise.resolve('posted'),
};
