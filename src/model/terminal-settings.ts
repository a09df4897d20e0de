export const sandboxModes = ['auto', 'on', 'off'] as const;

export type SandboxMode = (typeof sandboxModes)[number];

/** Whether commands are set apart from the system, and what they reach then. */
export interface SandboxSettings {
  /** `auto` is where it can be done, `on` refuses to run commands where it cannot. */
  readonly mode: SandboxMode;
  readonly network: 'none' | 'shared';
}

export interface TerminalSettings {
  readonly timeoutMs: number;
  readonly envPassthrough: readonly string[];
  readonly sandbox: SandboxSettings;
}

interface UserTerminal {
  readonly timeout?: number | undefined;
  readonly env_passthrough?: readonly string[] | undefined;
  readonly sandbox?: SandboxMode | undefined;
  readonly sandbox_network?: boolean | undefined;
}

export function terminalSettings(user: UserTerminal = {}): TerminalSettings {
  return {
    timeoutMs: (user.timeout ?? 180) * 1000,
    envPassthrough: user.env_passthrough ?? [],
    sandbox: { mode: user.sandbox ?? 'auto', network: user.sandbox_network === true ? 'shared' : 'none' },
  };
}
