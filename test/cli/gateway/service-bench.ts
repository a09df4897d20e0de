import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../../src/base/json.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { botToken } from '../../support/telegram-server.ts';
import type { ModelScript } from '../../support/model-script.ts';
import { isRunning, whenGone } from '../../support/processes.ts';
import { openGatewayDesk } from './gateway-desk.ts';
import type { GatewayDesk } from './gateway-desk.ts';

/** A desk whose gateways may outlive the command that started them: whatever is left of them goes with the test. */
export interface ServiceBench extends GatewayDesk {
  /** The process that holds the home, by its own note. */
  pid(): Promise<number | undefined>;
  /** The settings, with others besides those of the desk. */
  configure(settings: JsonObject): Promise<void>;
  path(...names: readonly string[]): string;
}

export async function openServiceBench(script: ModelScript, allow: readonly number[]): Promise<ServiceBench> {
  const bench = await openGatewayDesk(script, allow);
  const { desk, telegram } = bench;
  const path = (...names: readonly string[]): string => join(desk.home, ...names);
  await writeFile(path('.env'), `TELEGRAM_BOT_TOKEN=${botToken}\n`, { mode: 0o600 });
  const pid = async (): Promise<number | undefined> => {
    const note = parseJson(await readFile(path('state', 'owner.json'), 'utf8').catch(() => ''));
    return isJsonObject(note) && typeof note['pid'] === 'number' ? note['pid'] : undefined;
  };
  return {
    ...bench,
    pid,
    path,
    configure(settings) {
      const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'scripted' };
      return desk.setConfig({
        web: { enabled: false },
        model,
        telegram: { api_root: telegram.apiRoot, allow: [...allow] },
        ...settings,
      });
    },
    async [Symbol.asyncDispose]() {
      const left = await pid();
      if (left !== undefined && left !== process.pid && (await isRunning(left))) {
        process.kill(left, 'SIGKILL');
        await whenGone(left);
      }
      await bench[Symbol.asyncDispose]();
    },
  };
}
