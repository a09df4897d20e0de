import type { ConsentFacts, Counted, ElsewhereFacts, HandFacts, ProgramFacts, ServerFacts } from './doctor-desk.ts';
import { mcpServerName } from '../../model/mcp-settings.ts';
import type { IgnoredServers } from '../../model/project-servers.ts';
import { nameTaken } from '../../model/toolsets.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { Finding } from './finding.ts';

/** Pure. */
export function judgeHands(facts: HandFacts): readonly Finding[] {
  const { bash, git, ripgrep, chromium, openBrowser, sandbox, elsewhere } = facts;
  return [
    judgeProgram('bash', bash, { level: 'broken', cost: 'no command can run' }),
    judgeProgram('git', git, { level: 'hint', cost: 'no repository can be looked at' }),
    judgeProgram('ripgrep', ripgrep, { level: 'hint', cost: 'files cannot be searched' }),
    ...judgeBrowser(chromium, openBrowser),
    ...(elsewhere === undefined ? [] : [judgeElsewhere(elsewhere)]),
    sandbox.type === 'ready'
      ? { level: 'fine', name: 'sandbox', text: sandbox.by }
      : { level: 'hint', name: 'sandbox', text: `not enforced: ${sandbox.reason}`, fix: sandbox.fix },
  ];
}

interface Lack {
  readonly level: Finding['level'];
  readonly cost: string;
}

function judgeProgram(name: string, { path, install }: ProgramFacts, { level, cost }: Lack): Finding {
  if (path !== undefined) return { level: 'fine', name, text: path };
  return { level, name, text: `not found: ${cost}`, fix: install };
}

function judgeBrowser(chromium: ProgramFacts, open: string | undefined): readonly Finding[] {
  const found = judgeProgram('browser', chromium, { level: 'hint', cost: 'there is no Chromium here' });
  if (open === undefined || chromium.path === undefined) return [found];
  return [found, { level: 'hint', name: 'its sandbox', text: `not enforced: ${open}` }];
}

function judgeElsewhere({ name, program, problem }: ElsewhereFacts): Finding {
  const about = { name: 'commands' };
  if (problem !== undefined) {
    return { ...about, level: 'broken', text: problem, fix: '${EDITOR:-vi} "$(talaria config path)"' };
  }
  if (program.path === undefined) {
    return {
      ...about,
      level: 'broken',
      text: `not found: ${program.name}, which leads to ${name}`,
      fix: program.install,
    };
  }
  return { ...about, level: 'note', text: `they run on ${name}, which is not asked here` };
}

/** What is asked about, and what is not any more. Pure. */
export function judgeConsent(facts: ConsentFacts): readonly Finding[] {
  const { timeoutMs, rules, trustedFolders, trustedServers, passedVariables } = facts;
  const seconds = timeoutMs / 1000;
  return [
    {
      level: 'fine',
      name: 'questions',
      text: `commands that may change anything are asked about, unless they stay in a sandbox; silence is a no after ${seconds} s`,
    },
    ...judgeCount(rules, { name: 'rules', text: 'allowed for good', fix: 'talaria approvals list' }),
    ...judgeCount(trustedFolders, { name: 'trust', text: 'trusted folders', fix: 'talaria trust list' }),
    ...judgeNames(trustedServers, { name: 'mcp', text: 'not asked about', fix: 'talaria mcp list' }),
    ...judgeNames(passedVariables, { name: 'variables', text: 'seen by every command' }),
  ];
}

type About = Omit<Finding, 'level'>;

function judgeCount(counted: Counted, about: About): readonly Finding[] {
  if (counted.type === 'broken') return [{ level: 'broken', name: about.name, text: counted.problem }];
  return counted.count === 0 ? [] : [{ level: 'note', ...about, text: `${about.text}: ${counted.count}` }];
}

function judgeNames(names: readonly string[], about: About): readonly Finding[] {
  return names.length === 0 ? [] : [{ level: 'note', ...about, text: `${about.text}: ${names.join(', ')}` }];
}

/** Pure. */
export function judgeServers(servers: readonly ServerFacts[], ignored: IgnoredServers | undefined): readonly Finding[] {
  const judged = servers.map(judgeServer);
  const none: Finding = { level: 'note', name: 'servers', text: 'none in the settings' };
  return [...(judged.length === 0 ? [none] : judged), ...(ignored === undefined ? [] : [judgeIgnored(ignored)])];
}

function judgeIgnored({ name, folder, reason, fix }: IgnoredServers): Finding {
  return { level: 'note', name, text: `that of ${folder} is not used: ${reason}`, fix };
}

function judgeServer({ name, isEnabled, missing, place }: ServerFacts): Finding {
  if (!isEnabled) return { level: 'note', name, text: 'switched off in the settings' };
  const taken = mcpServerName.test(name) ? nameTaken(name) : 'a name has letters, digits, _ and -, 32 of them at most';
  if (taken !== undefined) {
    return {
      level: 'broken',
      name,
      text: `it is not used: ${taken}`,
      fix: `talaria mcp remove ${quoteForShell(name)}`,
    };
  }
  if (missing.length > 0) {
    const text = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`;
    return { level: 'broken', name, text, fix: '${EDITOR:-vi} "$(dirname "$(talaria config path)")/.env"' };
  }
  switch (place.type) {
    case 'nowhere':
      return {
        level: 'broken',
        name,
        text: 'it has neither a command nor a url',
        fix: `talaria mcp remove ${quoteForShell(name)}`,
      };
    case 'http':
      if (place.login === 'needed') {
        return { level: 'broken', name, text: 'it asks for a login', fix: `talaria mcp login ${quoteForShell(name)}` };
      }
      return {
        level: 'note',
        name,
        text: `${place.origin}${place.login === 'held' ? ', logged in' : ''}, which is not asked here`,
        fix: `talaria mcp test ${quoteForShell(name)}`,
      };
    case 'stdio':
      return place.path === undefined
        ? { level: 'broken', name, text: `there is no program ${place.command} on the PATH` }
        : { level: 'fine', name, text: place.path };
  }
}
