import type { Clock } from './base/clock.ts';
import type { App, CliDeps, OpenOptions, ProcessPort, StopSignal } from './cli/app-port.ts';

// Reached through the process: an import statement would load every part of this module, at every start.
const fs = process.getBuiltinModule('node:fs');

// Written here as well, since the list of the codes may be what cannot be loaded.
const exitCodeOfFault = 70;
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await start(process.argv.slice(2));

async function start(args: readonly string[]): Promise<void> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  process.on('uncaughtException', (thrown) => void giveUp(thrown));
  process.stdout.on('error', (error) => giveUpUnlessReaderLeft(error, 'stdout'));
  process.stderr.on('error', (error) => giveUpUnlessReaderLeft(error, 'stderr'));
  const { runCli } = await import('./cli/main.ts');
  const code = await runCli(args, createDeps());
  // Not left to the last open handle: a terminal or a kept connection would hold the process.
  await Promise.all([whenWritten(process.stdout), whenWritten(process.stderr)]);
  process.exit(code);
}

function createDeps(): CliDeps {
  return {
    process: createProcessPort(),
    openApp: openOrAttach,
    async openGateway(options) {
      const { openApp } = await import('./app.ts');
      return await openApp(options, { ...(await lookAround()), faults: undefined });
    },
    async readSettings() {
      const { readSettings } = await import('./app.ts');
      return await readSettings(process.env);
    },
    checkModels: async () => (await import('./app/model-desk.ts')).checkModels(await lookAround()),
    openModels: async () => (await import('./app/model-desk.ts')).openModels(await lookAround()),
    refreshPrices: async () => (await import('./app/model-desk.ts')).refreshPrices(await lookAround()),
    openTelegramDesk: async () => (await import('./app/telegram-desk.ts')).openTelegramDesk(await lookAround()),
    openTrust: async () => (await import('./app/trust-desk.ts')).openTrustDesk(await lookAround()),
    openMcp: async (folder) => (await import('./app/mcp-desk.ts')).openMcpDesk({ ...(await lookAround()), folder }),
    openConsent: async () => (await import('./app/consent-desk.ts')).openConsentDesk(await lookAround()),
    openProcesses: async () => (await import('./app/process-desk.ts')).openProcessDesk(await lookAround()),
    async askGateway(request) {
      const { askGateway } = await import('./app.ts');
      return await askGateway(request, { ...(await lookAround()), faults: undefined });
    },
    openDoctor: async () => (await import('./app/doctor-desk.ts')).openDoctorDesk(await lookAround()),
    openServiceDesk: async () => (await import('./app/service-desk.ts')).openServiceDesk(await lookAround()),
  };
}

async function lookAround(): Promise<{ readonly env: NodeJS.ProcessEnv; readonly clock: Clock }> {
  const { systemClock } = await import('./base/clock.ts');
  return { env: process.env, clock: systemClock };
}

async function openOrAttach(options: OpenOptions): Promise<App> {
  const { openApp } = await import('./app.ts');
  const surroundings = { ...(await lookAround()), faults: undefined };
  try {
    return await openApp(options, surroundings);
  } catch (thrown) {
    // Loaded only here: where nothing else runs on this home, it costs nothing.
    const { attachInstead } = await import('./app/attach-instead.ts');
    return await attachInstead(thrown, options, surroundings);
  }
}

function createProcessPort(): ProcessPort {
  return {
    // Opened by whoever first asks: to open stdin takes longer than to parse the whole command line.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    stdinType: readStdinType,
    env: process.env,
    // Asked for only where it is needed: in a folder that was deleted, everything else still works.
    cwd: () => process.cwd(),
    get version() {
      return readVersion();
    },
    async homeFolder() {
      const { homePath } = await import('./base/home-path.ts');
      return homePath(process.env);
    },
    platform: process.platform,
    program: () => ({ node: process.execPath, script: fs.realpathSync(process.argv[1] ?? '') }),
    onStopSignal: listenForStops,
    signal: signalOther,
    exitNow: (code) => process.exit(code),
  };
}

function readVersion(): string {
  const manifest = fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

function readStdinType(): ReturnType<ProcessPort['stdinType']> {
  if (process.getBuiltinModule('node:tty').isatty(0)) return 'terminal';
  try {
    return fs.fstatSync(0).isCharacterDevice() ? 'nothing' : 'data';
  } catch {
    return 'nothing'; // closed
  }
}

function listenForStops(listener: (signal: StopSignal) => void): Disposable {
  for (const signal of stopSignals) process.on(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const signal of stopSignals) process.off(signal, listener);
    },
  };
}

function signalOther(pid: number, signal: StopSignal): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

/** A reader that left early (`| head`) or a terminal that went away ends the writing, not the work. */
function giveUpUnlessReaderLeft(error: NodeJS.ErrnoException, name: 'stdout' | 'stderr'): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') void giveUpWriting(error, name);
}

/** What a shell sent there cannot be had: that is for the user to mend. */
async function giveUpWriting(cause: NodeJS.ErrnoException, name: 'stdout' | 'stderr'): Promise<void> {
  const { AppError } = await import('./base/errors.ts');
  const isFull = cause.code === 'ENOSPC';
  const message = `${name} cannot be written to: ${isFull ? 'the disk is full' : cause.message}`;
  await giveUp(new AppError(isFull ? 'disk-full' : 'unsupported', message, { cause }));
}

function whenWritten(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

async function giveUp(thrown: unknown): Promise<void> {
  // What goes wrong from here on has nobody left to report it: it ends the process, and is never reported in its turn.
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => process.exit(exitCodeOfFault));
  const { reportError } = await import('./cli/report-error.ts');
  const { exitCodeOfError } = await import('./cli/exit-codes.ts');
  reportError(thrown, process, { format: 'text', topic: undefined });
  process.exit(exitCodeOfError(thrown));
}
