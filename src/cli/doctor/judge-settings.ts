import { withoutFullStop } from '../../base/full-stop.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import { safeStartNote } from '../service/settings-warnings.ts';
import type { KeyFacts, ModelFacts, SettingsFacts } from './doctor-desk.ts';
import { editCommand } from './finding.ts';
import type { Finding } from './finding.ts';

/** Pure. `start` is that of the gateway which runs. */
export function judgeSettings(facts: SettingsFacts, start: GatewayStatus['start']): readonly Finding[] {
  if (facts.type === 'unusable') return facts.problems.map((text) => problem('broken', text));
  const { path, source, warnings, instead } = facts;
  switch (source) {
    case 'defaults':
      return [{ level: 'fine', name: 'file', text: `there is none at ${path}; the defaults are used` }];
    case 'last-good':
      return [
        ...warnings.map((text) => problem('broken', text)),
        ...describeInstead(start === 'safe' ? safeStartNote : instead),
      ];
    case 'file':
      return [{ level: 'fine', name: 'file', text: path }, ...warnings.map((text) => problem('hint', text))];
  }
}

function describeInstead(text: string | undefined): readonly Finding[] {
  return text === undefined ? [] : [{ level: 'note', name: 'instead', text }];
}

/** A line about the settings, with the place that it is about. Pure. */
export function problem(level: Finding['level'], text: string): Finding {
  const { path, line } = /^(?<path>\/.*?):(?<line>\d+):\d+: /.exec(text)?.groups ?? {};
  const fix = path === undefined ? undefined : editCommand(path, line);
  return { level, name: level === 'broken' ? 'problem' : 'warning', text: withoutFullStop(text), fix };
}

/** Pure. `editKeys` opens the file that keys are kept in. */
export function judgeModel(facts: ModelFacts, editKeys: string): readonly Finding[] {
  const { found, warnings, unasked } = facts;
  return [
    judgeChoice(facts, editKeys),
    ...(found.type === 'chosen' && found.place !== 'demo' ? [judgeKey(found.key)] : []),
    ...unasked.map((origin): Finding => ({
      level: 'note',
      name: 'ollama',
      text: `${origin} is another machine, and is not asked`,
    })),
    ...warnings.map((text) => problem('hint', text)),
  ];
}

function judgeChoice({ found, missingKey, isStopgap }: ModelFacts, editKeys: string): Finding {
  const name = 'model';
  if (found.type === 'unusable') {
    const unusable = { ...problem('broken', found.problem), name };
    return missingKey === undefined ? unusable : { ...unusable, fix: editKeys };
  }
  if (!isStopgap) return { level: 'fine', name, text: found.name };
  const lack = 'no key is set, and no Ollama answers here';
  const advice = 'OPENAI_API_KEY=… or that of another vendor goes into .env';
  return { level: 'hint', name, text: `${found.name} stands in, offline: ${lack}; ${advice}`, fix: editKeys };
}

function judgeKey(key: KeyFacts): Finding {
  switch (key.type) {
    case 'none':
      return { level: 'note', name: 'key', text: 'it is asked without one' };
    case 'printed':
      return { level: 'fine', name: 'key', text: `printed by ${key.name} of the settings, which is not run here` };
    case 'kept':
      return {
        level: 'fine',
        name: 'key',
        text: `${key.name}, ${key.place === 'file' ? 'in .env of the home' : 'in the environment'}`,
      };
  }
}
