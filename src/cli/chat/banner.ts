import { usualKeys } from '../../model/connect-advice.ts';
import type { ServedTerminal } from '../app-port.ts';

export interface BannerFacts {
  readonly version: string;
  readonly model: ServedTerminal['model'];
  readonly workdir: string;
  /** The home of the user. */
  readonly userHome: string | undefined;
  /** The home of the program. */
  readonly home: string;
}

/** The first lines of a chat. Pure. */
export function renderBanner({ version, model, workdir, userHome, home }: BannerFacts): readonly string[] {
  const folder = shortenPath(workdir, userHome);
  return [
    `Talaria ${version} · ${model.place === 'demo' ? 'offline demo' : model.name} · ${folder}`,
    'Type a message. /help lists the commands, Ctrl-C stops, Ctrl-D leaves.',
    ...(model.place === 'demo' ? [describeDemo(`${shortenPath(home, userHome)}/.env`)] : []),
  ];
}

function describeDemo(envFile: string): string {
  const places = `in the environment or in ${envFile}`;
  return `This is the offline demo model: it can show the tools, not think. To connect a real one, set ${usualKeys} (${places}), or start Ollama.`;
}

function shortenPath(path: string, userHome: string | undefined): string {
  const isBelowHome = userHome !== undefined && userHome !== '' && `${path}/`.startsWith(`${userHome}/`);
  return isBelowHome ? `~${path.slice(userHome.length)}` : path;
}
