import type { FenceReport, ToolPlace } from '../../model/tool.ts';
import { Sandbox } from './sandbox.ts';
import type { SandboxOptions } from './sandbox.ts';

/** What keeps the commands of a session in, in words for people. */
export async function describeFence(place: ToolPlace, options: SandboxOptions): Promise<FenceReport> {
  const fence = await new Sandbox(options).fence(place);
  switch (fence.type) {
    case 'in-force': {
      const reach = options.settings.network === 'shared' ? 'the network included' : 'without network';
      return { text: `in force: commands stay in this folder, ${reach}`, cause: undefined };
    }
    case 'none':
      return { text: `none: ${fence.reason}; commands are asked about`, cause: fence.cause };
    case 'required':
      return { text: `none: ${fence.reason}; no command runs without one`, cause: fence.cause };
  }
}
