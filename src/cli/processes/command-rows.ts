import type { CommandRow } from '../command.ts';
import { help, json, noWords } from '../usual-options.ts';

const processIds = 'Of an ID the beginning is enough, with or without proc_.';

/** What sessions left running. */
export const processRows: readonly CommandRow[] = [
  {
    name: 'processes list',
    aliases: ['ls'],
    summary: 'the background processes of all sessions: those that run, and the latest that ended',
    words: noWords,
    options: [{ name: 'all', short: 'a', summary: 'all that ended, too' }, json, help],
    details: ['They outlive the chat and the gateway. /new, expiry and deletion of their session end them.'],
  },
  {
    name: 'processes show',
    aliases: ['log', 'logs'],
    summary: 'one of them, and the end of its output',
    words: { label: 'ID', atLeast: 1, atMost: 1 },
    options: [{ name: 'limit', short: 'n', value: 'COUNT', summary: 'how many lines (20)' }, json, help],
    details: [processIds],
  },
  {
    name: 'processes stop',
    aliases: ['kill'],
    summary: 'end them with everything that belongs to them; their chats and the model are told',
    words: { label: 'ID', atLeast: 1, atMost: Infinity },
    options: [help],
    details: [processIds, 'They get SIGTERM, and a second later SIGKILL.'],
  },
];
