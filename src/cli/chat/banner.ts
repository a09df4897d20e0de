import type { ServedTerminal } from '../app-port.ts';

export interface BannerFacts {
  readonly version: string;
  readonly model: ServedTerminal['model'];
  readonly workdir: string;
  readonly userHome: string | undefined;
}

const demoHint =
  'This is the offline demo model: it can show the tools, not think. To connect a real one, set OPENAI_API_KEY, OPENROUTER_API_KEY or another key (in the environment or in ~/.talaria/.env), or start Ollama.';

/** The first lines of a chat. Pure. */
export function renderBanner({ version, model, workdir, userHome }: BannerFacts): readonly string[] {
  const isBelowHome = userHome !== undefined && userHome !== '' && `${workdir}/`.startsWith(`${userHome}/`);
  const folder = isBelowHome ? `~${workdir.slice(userHome.length)}` : workdir;
  return [
    `Talaria ${version} · ${model.place === 'demo' ? 'offline demo' : model.name} · ${folder}`,
    'Type a message. /help lists the commands, Ctrl-C stops, Ctrl-D leaves.',
    ...(model.place === 'demo' ? [demoHint] : []),
  ];
}
