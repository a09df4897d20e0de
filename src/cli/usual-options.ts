import type { OptionRow, WordsRow } from './command.ts';

export const help: OptionRow = { name: 'help', short: 'h', summary: 'explain this command' };
export const json: OptionRow = { name: 'json', summary: 'one JSON document on stdout' };
export const noWords: WordsRow = { label: '', atLeast: 0, atMost: 0 };
export const model: OptionRow = {
  name: 'model',
  short: 'm',
  value: 'NAME',
  summary: 'ask this model (NAME, provider:NAME or an alias) instead',
};
export const safe: OptionRow = {
  name: 'safe',
  summary: 'start with the settings of the last start that worked (docs/service.md)',
};
