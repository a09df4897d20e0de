import { startModelServer } from '../test/support/model-server.ts';
import { measureAppends } from './appends.ts';
import { measureBrowserOpen } from './browser-open.ts';
import { renderTable } from './figure.ts';
import type { Figure } from './figure.ts';
import { measureGateway } from './gateway/measure-gateway.ts';
import { measureFiles } from './files.ts';
import { measureInstallSize } from './install-size.ts';
import { measureLongHistory } from './long-history.ts';
import { measureMcpCall } from './mcp-call.ts';
import { measureMemory } from './memory.ts';
import { measureFirstRequest, measureOneShot } from './one-shot.ts';
import { preparePackage } from './product.ts';
import { measureProtocols } from './protocols.ts';
import { answerBenchmark, measureShellCall } from './shell-call.ts';
import { measureStart } from './start.ts';

await using server = await startModelServer(answerBenchmark);
await using product = await preparePackage(
  `model:\n  provider: custom\n  base_url: ${server.baseUrl}\n  default: scripted\n`,
);

const wanted = process.argv.slice(2).filter((word) => word !== '--full');
const isFull = process.argv.includes('--full');

const measurements: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  start: () => measureStart(product),
  'one-shot': () => measureOneShot(product, server),
  'shell-call': () => measureShellCall(product, server),
  files: () => measureFiles(product),
  'mcp-call': () => measureMcpCall(),
  'browser-open': () => measureBrowserOpen(),
  memory: () => measureMemory(product),
  appends: () => measureAppends(product),
  'first-request': () => measureFirstRequest(product, server),
  protocols: () => measureProtocols(),
  'long-history': () => measureLongHistory(product),
  gateway: () => measureGateway(product, isFull ? 1000 : 200),
  'install-size': () => measureInstallSize(product),
};

for (const name of wanted)
  if (!(name in measurements))
    throw new Error(`no measurement is called ${name}: ${Object.keys(measurements).join(', ')}`);

const figures: Figure[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  figures.push(...(await measure()));
}
console.log(renderTable(figures));
