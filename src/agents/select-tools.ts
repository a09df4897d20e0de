import type { Tool } from '../model/tool.ts';

export interface SelectedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The toolsets that they come from. */
  readonly toolsets: readonly string[];
}

export interface ToolChoice {
  /** The toolsets of a platform; undefined where all are meant. */
  readonly enabled: readonly string[] | undefined;
  /** What is left out has the last word. */
  readonly disabled: readonly string[];
}

/** The tools of an agent: those of the toolsets that its platform gets, but for those that the settings turn off. Pure. */
export function selectTools(tools: ReadonlyMap<string, Tool>, { enabled, disabled }: ToolChoice): SelectedTools {
  const isChosen = ({ toolset }: Tool): boolean =>
    (enabled === undefined || enabled.includes(toolset)) && !disabled.includes(toolset);
  const selected = new Map([...tools].filter(([, tool]) => isChosen(tool)));
  return { tools: selected, toolsets: [...new Set([...selected.values()].map(({ toolset }) => toolset))] };
}
