import type { OptionRow, WordsRow } from './command.ts';

export const help: OptionRow = { name: 'help', short: 'h', summary: 'explain this command' };
export const json: OptionRow = { name: 'json', summary: 'one JSON document on stdout' };
export const noWords: WordsRow = { label: '', atLeast: 0, atMost: 0 };
