import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { entryPoint } from './program.ts';
import type { Desk } from './program.ts';

/** Why there can be no terminal here, or undefined. */
export const noTerminal: string | undefined =
  spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux, which gives the tests a terminal, is not installed';

const longestPauseMs = 20_000;

export interface TerminalOptions {
  readonly columns?: number;
  /** What runs there, where it is not the program itself. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The program in a real terminal, driven by keys. tmux runs in control mode, so that everything that happens is an event. */
export function openTerminal(
  desk: Pick<Desk, 'workdir' | 'env'>,
  args: readonly string[],
  options: TerminalOptions = {},
): Terminal {
  // Given with the command, since tmux sets TERM to its own.
  const variables = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const program = options.program ?? [process.execPath, entryPoint];
  const command = ['env', ...variables, ...program, ...args].map(quote).join(' ');
  const size = ['-x', String(options.columns ?? 100), '-y', '40'];
  const socket = `talaria-test-${process.pid}-${performance.now()}`;
  // The screen stays after the program has ended, with the code that it ended with. Ctrl-C is for the program, not for
  // the shell that waits for it.
  const shown = `trap : INT; ${command}; echo "[ended with $?]"; exec cat`;
  const child = spawn('tmux', ['-u', '-L', socket, '-f', '/dev/null', '-C', 'new-session', ...size, shown], {
    cwd: desk.workdir,
    env: { ...desk.env, LC_ALL: 'C.UTF-8', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return new Terminal(child);
}

export class Terminal implements AsyncDisposable {
  readonly #tmux: ChildProcess;
  readonly #replies: ((lines: readonly string[]) => void)[] = [];
  readonly #listeners = new Set<() => void>();
  #outputs = 0;
  /** Every byte that the program wrote, escape codes and all, as tmux reports them. */
  written = '';

  constructor(tmux: ChildProcess) {
    this.#tmux = tmux;
    // The first reply is to the command that opened the session.
    this.#replies.push(() => undefined);
    void this.#listen();
  }

  /** Types text, or presses a key such as `Enter` or `C-c`. */
  async type(text: string): Promise<void> {
    await this.#ask(`send-keys -l ${quote(text)}`);
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.#ask(`send-keys ${keys.join(' ')}`);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** Everything arrives at once, as from a clipboard: `marked` by terminals that tell a paste from keys, where that was asked for. */
  async paste(text: string, marks: 'marked' | 'bare' = 'marked'): Promise<void> {
    await this.#ask(`set-buffer ${JSON.stringify(text)}`);
    await this.#ask(marks === 'marked' ? 'paste-buffer -p' : 'paste-buffer');
  }

  /** Makes the terminal so many columns wide, and waits until the program has noticed and drawn something anew. */
  async resize(columns: number): Promise<void> {
    const drawn = this.#nextOutput('nothing was drawn after the terminal was resized');
    await this.resizeOnly(columns);
    await drawn;
  }

  /** The same where nothing is to be drawn. */
  async resizeOnly(columns: number): Promise<void> {
    await this.#ask(`refresh-client -C ${columns}x40`);
  }

  async screen(): Promise<string> {
    return (await this.#ask('capture-pane -p -S -200')).join('\n').trimEnd();
  }

  /** Resolves with the screen as soon as it shows this; a screen that stands still for long never will. */
  async shows(pattern: RegExp): Promise<string> {
    for (;;) {
      const seen = this.#outputs;
      const screen = await this.screen();
      if (pattern.test(screen)) return screen;
      if (seen === this.#outputs) await this.#nextOutput(`waited for ${String(pattern)} on this screen:\n${screen}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#tmux, 'close');
    this.#tmux.stdin?.end('kill-server\n');
    await ended;
  }

  async #listen(): Promise<void> {
    if (this.#tmux.stdout === null) return;
    let block: string[] | undefined;
    for await (const line of createInterface({ input: this.#tmux.stdout })) {
      if (line.startsWith('%begin ')) block = [];
      else if (line.startsWith('%end ') || line.startsWith('%error ')) {
        this.#replies.shift()?.(block ?? []);
        block = undefined;
      } else if (block !== undefined) block.push(line);
      else if (line.startsWith('%output ')) this.#take(line.replace(/^%output \S+ /, ''));
    }
  }

  #take(escaped: string): void {
    this.written += escaped.replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    this.#outputs += 1;
    for (const listener of this.#listeners) listener();
  }

  #ask(command: string): Promise<readonly string[]> {
    return new Promise((resolve) => {
      this.#replies.push(resolve);
      this.#tmux.stdin?.write(`${command}\n`);
    });
  }

  #nextOutput(complaint: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const hung = setTimeout(() => reject(new Error(complaint)), longestPauseMs);
      const listener = (): void => {
        clearTimeout(hung);
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
