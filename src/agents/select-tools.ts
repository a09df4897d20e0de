import type { Tool } from '../model/tool.ts';

/** What each tool is for. One that is not listed is a toolset of its own. */
const toolsetOf: Readonly<Record<string, string>> = {
  read_file: 'file',
  write_file: 'file',
  patch: 'file',
  search_files: 'file',
};

export interface SelectedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The toolsets that they come from. */
  readonly toolsets: readonly string[];
}

/** The tools of an agent: all but those of the toolsets that the settings turn off. Pure. */
export function selectTools(tools: ReadonlyMap<string, Tool>, disabled: readonly string[]): SelectedTools {
  const selected = new Map([...tools].filter(([name]) => !disabled.includes(toolsetFor(name))));
  return { tools: selected, toolsets: [...new Set([...selected.keys()].map(toolsetFor))] };
}

function toolsetFor(name: string): string {
  return toolsetOf[name] ?? name;
}
