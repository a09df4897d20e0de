import type { CommandRow } from '../command.ts';
import { help, json, noWords } from '../usual-options.ts';

/** What can be looked up and taken back of consent. */
export const approvalRows: readonly CommandRow[] = [
  {
    name: 'approvals list',
    aliases: ['ls'],
    summary: 'what you allowed for good',
    words: noWords,
    options: [json, help],
    details: ['What is allowed for a session ends with it, and is not listed.'],
  },
  {
    name: 'approvals revoke',
    aliases: ['remove', 'rm'],
    summary: 'take back what you allowed for good, from the next call on',
    words: { label: 'ID', atLeast: 0, atMost: Infinity },
    options: [{ name: 'all', summary: 'all of it' }, help],
    details: ['ID is one of those that `talaria approvals list` shows; its beginning or its end is enough.'],
  },
  {
    name: 'approvals log',
    aliases: [],
    summary: 'what was asked, and who allowed or denied it, newest last',
    words: noWords,
    options: [{ name: 'limit', short: 'n', value: 'COUNT', summary: 'how many (20)' }, json, help],
    details: ['It is read from the log of the sessions: what you delete there is gone from here, too.'],
  },
  {
    name: 'approvals test',
    aliases: [],
    summary: 'what would become of a command, and why; nothing is run',
    words: { label: 'COMMAND', atLeast: 1, atMost: Infinity, advice: 'put the command into quotes, or behind --' },
    options: [
      { name: 'folder', value: 'FOLDER', summary: 'where it would run (the folder you are in)' },
      { name: 'outside', summary: 'as a call that asks to leave the sandbox' },
      json,
      help,
    ],
    details: [
      'Put the command into quotes; one that is neither a pipe nor a list can also stand behind --, as it is.',
      'Exit codes: 0 it would run, 4 it would be asked about, 5 it would be refused.',
    ],
  },
];
