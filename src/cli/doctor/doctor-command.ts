import { systemClock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { AdmittedPerson, StoreState } from '../../model/health.ts';
import type { IgnoredServers } from '../../model/project-servers.ts';
import type { CliDeps } from '../app-port.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { currentFolder } from '../mcp/open-here.ts';
import { chooseStyle } from '../render/style.ts';
import { findGateway } from '../service/find-gateway.ts';
import type { Found } from '../service/find-gateway.ts';
import { findKeeper } from '../service/find-keeper.ts';
import type { DoctorDesk } from './doctor-desk.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { editCommand } from './finding.ts';
import type { Finding, FindingGroup } from './finding.ts';
import { judgeChannels } from './judge-channels.ts';
import { judgeGateway, lookAtService } from './judge-gateway.ts';
import type { ServiceFacts } from './judge-gateway.ts';
import { judgeConsent, judgeHands, judgeServers } from './judge-hands.ts';
import { judgeHome } from './judge-home.ts';
import { judgeModel, judgeSettings, problem } from './judge-settings.ts';
import { judgeStore } from './judge-store.ts';
import { countOf, renderFindings } from './render-findings.ts';

const usualColumns = 80;
const patienceMs = 5000;

/** Says what works and what does not, and changes nothing. Only what is broken is a failure. */
export const runDoctor: CommandFunction = async (args, deps) => {
  const { stdout, env } = deps.process;
  const desk = await deps.openDoctor();
  const groups = await examine(deps, desk);
  const broken = countOf(groups, 'broken');
  if (args.has('json')) {
    const document = { ok: broken === 0, broken, hints: countOf(groups, 'hint'), groups };
    stdout.write(`${desk.redact(JSON.stringify(document))}\n`);
  } else {
    const style = chooseStyle({ isTerminal: stdout.isTTY, env });
    const columns = stdout.isTTY ? stdout.columns : usualColumns;
    stdout.write(desk.redact(renderFindings(groups, style, columns)));
  }
  return broken === 0 ? exitCodes.done : exitCodes.failed;
};

async function examine(deps: CliDeps, desk: DoctorDesk): Promise<readonly FindingGroup[]> {
  const { process } = deps;
  // Where not even that can be looked up, the home is no home, and its group says why.
  const found = await findGateway(desk.gateway).catch((): Found => ({ type: 'nothing' }));
  const store = look(() => desk.store());
  return await Promise.all([
    group('program', () => [judgeProgram(process.version, desk)]),
    group('home', () => judgeHome(desk.places.home, desk.home())),
    group('settings', () => [
      ...judgeSettings(desk.settings, found.type === 'running' ? found.status.start : 'usual'),
      ...desk.keyWarnings.map((text) => problem('hint', text)),
    ]),
    group(
      'model',
      bySettings(desk, async () => judgeModel(await desk.model(), editKeys(desk))),
    ),
    group('gateway', async () =>
      judgeGateway({
        found,
        service: await askService(deps, desk),
        failure: desk.gateway.lastFailure(),
        version: process.version,
        platform: process.platform,
        socket: desk.places.socket,
      }),
    ),
    group(
      'channels',
      bySettings(desk, async () => judgeChannels(await desk.channels(), await findPeople(desk, found, store), found)),
    ),
    group('hands', async () => judgeHands(await desk.hands())),
    group(
      'consent',
      bySettings(desk, async () => judgeConsent(await desk.consent())),
    ),
    group(
      'mcp',
      bySettings(desk, async () => judgeServers(await desk.servers(), lookAround(deps, desk))),
    ),
    group('store', () => judgeStore(store())),
  ]);
}

function judgeProgram(version: string, { program: { node, sqlite, machine } }: DoctorDesk): Finding {
  return { level: 'fine', name: 'version', text: `${version}, with Node ${node} and SQLite ${sqlite}, on ${machine}` };
}

type Judge = () => readonly Finding[] | Promise<readonly Finding[]>;

/** What goes by settings that nobody can read is not judged by the defaults, which are not what was meant. */
function bySettings({ settings }: DoctorDesk, judge: Judge): Judge {
  if (settings.type === 'usable') return judge;
  return () => [{ level: 'note', name: 'unknown', text: 'it goes by the settings, which are broken' }];
}

/** In a home that does not exist yet there is nowhere to write. */
function editKeys(desk: DoctorDesk): string {
  const { home, envFile } = desk.places;
  const make = desk.home().folder.type === 'missing' ? `mkdir -pm 700 ${quoteForShell(home)} && ` : '';
  return `${make}${editCommand(envFile)}`;
}

/** What cannot be looked at costs its own group, and no other. */
async function group(name: string, judge: Judge): Promise<FindingGroup> {
  try {
    return { name, findings: await judge() };
  } catch (thrown) {
    const text = `it cannot be looked at: ${describeError(thrown)}`;
    return { name, findings: [{ level: 'broken', name: 'problem', text }] };
  }
}

/** Does it once, for several who need it, each of whom is told why it failed. */
function look(work: () => StoreState): () => StoreState {
  let seen: { readonly state: StoreState } | undefined;
  return () => (seen ??= { state: work() }).state;
}

async function findPeople(
  desk: DoctorDesk,
  found: Found,
  store: () => StoreState,
): Promise<readonly AdmittedPerson[] | undefined> {
  if (found.type === 'running') return await desk.people();
  const state = store();
  if (state.type === 'none') return [];
  return state.type === 'sound' ? state.people : undefined;
}

function lookAround({ process }: CliDeps, desk: DoctorDesk): IgnoredServers | undefined {
  const folder = currentFolder(process);
  return folder === undefined ? undefined : desk.ignoredServers(folder);
}

/** A service manager that hangs is no reason to hang. */
async function askService(deps: CliDeps, desk: DoctorDesk): Promise<ServiceFacts> {
  const over = new AbortController();
  const late = systemClock.sleep(patienceMs, over.signal).then(
    (): ServiceFacts => ({ type: 'silent', problem: 'the service manager does not answer' }),
    (): ServiceFacts => ({ type: 'unknown-system' }),
  );
  const asked = lookAtService((view) => findKeeper(deps, view), desk.gateway);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort();
  }
}
