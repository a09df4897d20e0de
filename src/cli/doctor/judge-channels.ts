import type { AdmittedPerson } from '../../model/health.ts';
import { usualWebPort } from '../../model/web-host.ts';
import { describeTrouble } from '../service/describe-channels.ts';
import type { Found } from '../service/find-gateway.ts';
import type { ChannelFacts, ChatFolder } from './doctor-desk.ts';
import type { Finding } from './finding.ts';

/** Pure. Who was let in is undefined where that could not be looked up. */
export function judgeChannels(
  { telegram, web }: ChannelFacts,
  people: readonly AdmittedPerson[] | undefined,
  found: Found,
): readonly Finding[] {
  return [
    ...judgeTelegram(telegram, people, found),
    judgeWeb(web, found),
    ...(telegram.token === undefined ? [] : judgeFolder(telegram.folder, 'telegram')),
    ...(web.isEnabled ? judgeFolder(web.folder, 'web') : []),
  ];
}

function judgeFolder({ path, isWholeHome }: ChatFolder, channel: 'telegram' | 'web'): readonly Finding[] {
  if (!isWholeHome) return [];
  const chats = channel === 'web' ? 'of the page' : 'with the bot';
  const text = `new chats ${chats} begin in ${path}, a whole home, and so without a sandbox: their commands are asked about; ${channel}.workdir names another folder`;
  return [{ level: 'note', name: 'folder', text, fix: editSettings }];
}

const setUp = 'talaria gateway setup';

function judgeTelegram(
  { tokenName, token, allowed }: ChannelFacts['telegram'],
  people: readonly AdmittedPerson[] | undefined,
  found: Found,
): readonly Finding[] {
  const name = 'telegram';
  if (token === undefined) return [{ level: 'note', name, text: `no bot: ${tokenName} is not set`, fix: setUp }];
  const place = token === 'file' ? 'in .env of the home' : 'in the environment';
  const there: Finding = { level: 'fine', name, text: `its token is ${tokenName}, ${place}` };
  return [there, ...judgeConnection(found), judgeAccess(allowed, people)];
}

/** What the gateway that runs knows: nobody else is asked. */
function judgeConnection(found: Found): readonly Finding[] {
  const states = found.type === 'running' ? found.status.channelStates : [];
  return states
    .filter(({ name }) => name === 'telegram')
    .flatMap((state): readonly Finding[] => {
      const text = describeTrouble(state);
      if (text === undefined) return [];
      if (state.type === 'connecting') return [{ level: 'note', name: 'bot', text }];
      const fix = state.type === 'not-served' ? setUp : 'talaria gateway logs';
      return [{ level: 'broken', name: 'bot', text, fix }];
    });
}

function judgeAccess(allowed: number, people: readonly AdmittedPerson[] | undefined): Finding {
  const name = 'access';
  const bySettings = allowed === 0 ? '' : `${allowed} by the settings`;
  if (people === undefined)
    return { level: 'note', name, text: bySettings === '' ? 'who was let in is not looked up now' : bySettings };
  const owners = people.filter(({ role }) => role === 'owner').length;
  const groups = [
    owners === 0 ? '' : `${owners} as owner`,
    people.length === owners ? '' : `${people.length - owners} by a code`,
    bySettings,
  ].filter((each) => each !== '');
  if (groups.length === 0)
    return { level: 'hint', name, text: 'nobody may write to the bot: a link makes you its owner', fix: setUp };
  return { level: 'fine', name, text: groups.join(', ') };
}

const editSettings = '${EDITOR:-vi} "$(talaria config path)"';

function judgeWeb(web: ChannelFacts['web'], found: Found): Finding {
  const { isEnabled, host, port, isExposed, isLoopback } = web;
  const name = 'page';
  if (!isEnabled) return { level: 'note', name, text: 'web.enabled is false' };
  if (!isLoopback && !isExposed) {
    const text = `web.host ${host} can be reached by other machines, so that no gateway can start: set web.expose to true if that is meant`;
    return { level: 'broken', name, text, fix: editSettings };
  }
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port ?? usualWebPort}`;
  if (found.type !== 'running' && web.isTaken) return judgeTaken(address, port);
  const page = (found.type === 'running' ? found.status.page : undefined) ?? address;
  if (!isLoopback)
    return { level: 'hint', name, text: `${page} can be reached by other machines; without TLS they can read along` };
  return { level: 'fine', name, text: found.type === 'running' ? page : `${page}, once a gateway runs` };
}

function judgeTaken(address: string, port: number | undefined): Finding {
  const text = `${address} is taken by another program`;
  if (port === undefined)
    return { level: 'hint', name: 'page', text: `${text}; the gateway takes a free port instead` };
  const advice = 'set another web.port, or web.enabled to false';
  return { level: 'broken', name: 'page', text: `${text}, so that no gateway can start: ${advice}`, fix: editSettings };
}
