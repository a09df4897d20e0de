import type { JsonObject } from '../../../src/base/json.ts';
import { openDesk } from '../support/program.ts';
import type { Desk, Started } from '../support/program.ts';
import { botToken, startTelegramServer } from '../../support/telegram-server.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';
import type { ModelScript } from '../../support/model-script.ts';

/** A desk with a bot: the real program is started between a scripted model and the Bot API for tests. */
export interface GatewayDesk extends AsyncDisposable {
  readonly desk: Desk;
  readonly telegram: TelegramServer;
  /** Starts the gateway and resolves once it serves; without a token of its own it finds the one in the home. */
  start(token?: 'given' | 'from-home'): Promise<Started>;
  run(...args: readonly string[]): ReturnType<Desk['run']>;
}

const env = { TELEGRAM_BOT_TOKEN: botToken };

export async function openGatewayDesk(
  script: ModelScript,
  allow: readonly number[],
  settings: JsonObject = {},
): Promise<GatewayDesk> {
  const resources = new AsyncDisposableStack();
  const telegram = resources.use(await startTelegramServer());
  const desk = resources.use(await openDesk(script));
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
  const bot = { api_root: telegram.apiRoot, allow: [...allow] };
  await desk.setConfig({ web: { enabled: false }, model, telegram: bot, ...settings });
  return {
    desk,
    telegram,
    async start(token = 'given') {
      const started = desk.start(['gateway'], { ...(token === 'given' && { env }), longestMs: 1_200_000 });
      await started.prints(/Serving telegram with/);
      return started;
    },
    run: (...args) => desk.run(args, { env }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
