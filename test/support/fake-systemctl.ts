import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../src/base/errors.ts';

/** Executables that stand in for those of systemd: they write down how they are called, and `start` starts the unit. */
export interface FakeSystemd {
  /** To be put in front of the PATH. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What was called so far, without questions that change nothing. */
  calls(): Promise<readonly string[]>;
  /** From now on this is what it shows of a unit; `broken` is one whose program does not start. */
  showUnit(properties: string, how?: 'works' | 'broken'): Promise<void>;
}

export interface FakeSystemdOptions {
  readonly lingering?: 'on' | 'off' | 'refused';
}

export async function makeFakeSystemd(parent: string, options: FakeSystemdOptions = {}): Promise<FakeSystemd> {
  const folder = join(parent, 'fake-bin');
  const record = join(parent, 'systemd-calls');
  await mkdir(folder);
  await writeProgram(join(folder, 'systemctl'), systemctl);
  await writeProgram(join(folder, 'loginctl'), loginctl);
  return {
    folder,
    env: { FAKE_RECORD: record, FAKE_LINGER: options.lingering ?? 'on' },
    async calls() {
      const lines = (await readIfThere(record)).split('\n');
      return lines.filter((line) => line !== '' && !/--version|show|is-enabled/.test(line));
    },
    async showUnit(properties, how = 'works') {
      await writeFile(`${record}.shown`, properties);
      if (how === 'broken') await writeFile(`${record}.broken`, '');
    },
  };
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}

const systemctl = `#!/bin/bash
echo "systemctl $*" >>"$FAKE_RECORD"
# The real one does not find the manager of the user without it.
[[ "$*" != --user* || "$XDG_RUNTIME_DIR" ]] || { echo 'no bus' >&2; exit 1; }
unit="$HOME/.config/systemd/user/\${!#}"
case "$*" in
  --version) echo 'systemd 252 (252.1)' ;;
  '--user enable '*) touch "$FAKE_RECORD.enabled" ;;
  '--user disable '*) rm -f "$FAKE_RECORD.enabled" ;;
  '--user is-enabled '*) test -e "$FAKE_RECORD.enabled" ;;
  '--user show '*.service) cat "$FAKE_RECORD.shown" 2>/dev/null ;;
  '--user start '*)
    test ! -e "$FAKE_RECORD.broken" || { echo 'Job failed.' >&2; exit 1; }
    settings=$(sed -n 's/^Environment=//p' "$unit" | tr '\\n' ' ')
    eval "env -i HOME='$HOME' $settings setsid $(sed -n 's/^ExecStart=://p' "$unit")" >/dev/null 2>&1 </dev/null &
    ;;
esac
`;

const loginctl = `#!/bin/bash
echo "loginctl $*" >>"$FAKE_RECORD"
case "$*" in
  'show-user '*) test "$FAKE_LINGER" = on && echo Linger=yes || echo Linger=no ;;
  enable-linger) test "$FAKE_LINGER" != refused ;;
esac
`;
