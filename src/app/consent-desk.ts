import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findRule } from '../model/approvals.ts';
import type { CommandForecast, ConsentDesk, StandingRules } from '../model/approvals.ts';
import type { Risk, Tool } from '../model/tool.ts';
import { openHome } from '../store/home/home-folder.ts';
import { LiveSettings } from '../store/home/live-settings.ts';
import { FileStandingRules } from '../store/home/standing-rules.ts';
import { Checkpoints } from '../tools/checkpoints/checkpoints.ts';
import { createToolbox } from '../tools/create-toolbox.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** What is allowed for good, and what would become of a command, without opening the store. */
export async function openConsentDesk({ env, clock }: Around): Promise<ConsentDesk> {
  const home = await openHome(env);
  const rules = new FileStandingRules(home.rulesFile);
  return {
    rules,
    async forecast(command, workdir, wish) {
      const { terminal } = (await LiveSettings.open(home)).current.config;
      const checkpoints = new Checkpoints({ taskFolder: home.tasks, clock });
      const options = { checkpoints, taskFolder: home.tasks, homeFolder: home.path, terminal, environment: env, clock };
      await using toolbox = createToolbox(options);
      const shell = requireTool(toolbox.tools.get('terminal'));
      const judge = async (outside: 'outside' | 'inside'): Promise<CommandForecast> => {
        const input = shell.input.parse({ command, ...(outside === 'outside' && { outside: true }) });
        if (input.type === 'invalid') throw new AppError('bad-usage', 'there is no command to judge');
        const risk = await shell.assess(input.value, { sessionId: newId('session', clock.now()), workdir });
        return foresee(risk, rules);
      };
      const forecast = await judge(wish);
      const isInside = forecast.type === 'safe' && forecast.where?.in === 'sandbox';
      return isInside ? { ...forecast, leaving: await judge('outside') } : forecast;
    },
  };
}

function foresee(risk: Risk, rules: Pick<StandingRules, 'find'>): CommandForecast {
  if (risk.type === 'safe') return risk;
  if (risk.type === 'forbidden') return { ...risk, type: 'refused' };
  const { standing, why = 'it may change something' } = risk;
  const where = risk.where && { where: risk.where };
  const rule = standing && findRule(standing, rules);
  return rule === undefined ? { type: 'asks', why, standing, ...where } : { type: 'allowed', rule, ...where };
}

function requireTool(tool: Tool | undefined): Tool {
  if (tool === undefined) throw new AppError('unsupported', 'there is no shell here');
  return tool;
}
