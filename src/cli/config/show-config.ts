import type { Json } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import type { Config } from '../../model/config.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const showConfig: CommandFunction = async (args, deps) => {
  const { stdout, stderr } = deps.process;
  const { config, source, warnings } = await deps.readSettings();
  const settings = asWritten(config);
  if (args.has('json')) {
    stdout.write(`${JSON.stringify({ ok: true, source, settings, warnings })}\n`);
    return exitCodes.done;
  }
  for (const warning of warnings) stderr.write(`${warning}\n`);
  stdout.write(renderSettings(settings));
  return exitCodes.done;
};

/** The settings under the names that they have in the file. Pure. */
export function asWritten({ model, agent, terminal, storage }: Config): Json {
  return {
    model: {
      default: model.default ?? null,
      provider: model.provider ?? null,
      base_url: model.baseUrl ?? null,
      max_output_tokens: model.maxOutputTokens ?? null,
    },
    agent: { max_turns: agent.maxSteps },
    terminal: { timeout: terminal.timeoutMs / 1000, env_passthrough: [...terminal.envPassthrough] },
    storage: { retention_days: storage.retentionDays },
  };
}

/** Settings as YAML that can be pasted into the file; what is not set is a comment. Pure. */
export function renderSettings(settings: Json, indent = ''): string {
  if (!isJsonObject(settings)) return '';
  return Object.entries(settings)
    .map(([key, value]) => {
      if (isJsonObject(value)) return `${indent}${key}:\n${renderSettings(value, `${indent}  `)}`;
      if (value === null) return `${indent}# ${key}: not set\n`;
      return `${indent}${key}: ${JSON.stringify(value)}\n`;
    })
    .join('');
}
