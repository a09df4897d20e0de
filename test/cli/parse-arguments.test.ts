import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { parseCommandLine } from '../../src/cli/parse-arguments.ts';

/** A command line as one short text: the command, its words and options; or what else it comes to. */
function summarise(line: string): string {
  const parsed = parseCommandLine(
    line.split(' ').filter((word) => word !== ''),
    parseArgs,
  );
  switch (parsed.type) {
    case 'version':
      return 'version';
    case 'help':
      return `help on "${parsed.topic}"`;
    case 'bad-usage':
      return `wrong: ${parsed.message} (see "${parsed.topic}")`;
    case 'command': {
      const { command, args } = parsed;
      const options = command.options
        .filter(({ name }) => args.has(name))
        .map(({ name }) => `${name}${args.value(name) === undefined ? '' : `=${args.value(name)}`}`);
      return [command.name, ...args.words.map((word) => `"${word}"`), ...options].join(' ');
    }
  }
}

const understood: readonly (readonly [string, string])[] = [
  ['', 'chat'],
  ['chat', 'chat'],
  ['-c', 'chat continue'],
  ['--continue', 'chat continue'],
  ['-r ses_01', 'chat resume=ses_01'],
  ['--resume=ses_01', 'chat resume=ses_01'],
  ['-m gpt run hello', 'run "hello" model=gpt'],
  ['run say hi', 'run "say" "hi"'],
  ['run say hi -q --json', 'run "say" "hi" json quiet'],
  ['run -c -q go on', 'run "go" "on" continue quiet'],
  ['run -', 'run "-"'],
  ['run -- --json is a word', 'run "--json" "is" "a" "word"'],
  ['run sessions', 'run "sessions"'],
  ['sessions', 'sessions list'],
  ['sessions --json', 'sessions list json'],
  ['sessions ls -n 5', 'sessions list limit=5'],
  ['sessions -n 5 list', 'sessions list limit=5'],
  ['sessions show abc', 'sessions show "abc"'],
  ['sessions search two words', 'sessions search "two" "words"'],
  ['sessions export abc -o f --format json', 'sessions export "abc" format=json output=f'],
  ['sessions rm a b -y', 'sessions delete "a" "b" yes'],
  ['config', 'config show'],
  ['config check --json', 'config check json'],
  ['help', 'help'],
  ['help sessions show', 'help "sessions" "show"'],
  ['--version', 'version'],
  ['run -V', 'version'],
  ['--help', 'help on ""'],
  ['run -h', 'help on "run"'],
  ['run hello --help', 'help on "run"'],
  ['sessions --help', 'help on "sessions"'],
  ['sessions rm --help', 'help on "sessions delete"'],
];

for (const [line, meaning] of understood) {
  test(`"talaria ${line}" means ${meaning}`, () => {
    assert.equal(summarise(line), meaning);
  });
}

const wrong: readonly (readonly [string, string])[] = [
  ['sesions', 'there is no command "sesions"; did you mean "talaria sessions"? (see "")'],
  ['rnu hello', 'there is no command "rnu"; did you mean "talaria run"? (see "")'],
  ['conf', 'there is no command "conf"; did you mean "talaria config"? (see "")'],
  ['untrust .', 'there is no command "untrust"; did you mean "talaria trust remove"? (see "")'],
  ['xyzzy', 'there is no command "xyzzy" (see "")'],
  ['sessions shwo', '"sessions" has no command "shwo"; did you mean "talaria sessions show"? (see "sessions")'],
  ['sessions remove', '"sessions" has no command "remove" (see "sessions")'],
  ['config get model', '"config" has no command "get"; to see the settings: talaria config show (see "config")'],
  [
    'config set model x',
    '"config" has no command "set"; to change one, edit the file that talaria config path names (see "config")',
  ],
  ['run --jsn hi', 'there is no option --jsn; did you mean "--json"? (see "run")'],
  ['run -z hi', 'there is no option -z (see "run")'],
  ['run --model', '--model needs a value: NAME (see "run")'],
  ['run --model= hi', '--model needs a value: NAME (see "run")'],
  ['run --quiet=yes hi', '--quiet takes no value (see "run")'],
  ['-c -r abc', 'choose either --continue or --resume (see "")'],
  ['chat hello', '"chat" does not take "hello" (see "chat")'],
  ['sessions show', '"sessions show" needs ID (see "sessions show")'],
  ['sessions show a b', '"sessions show" does not take "b" (see "sessions show")'],
  ['sessions list --yes', 'there is no option --yes (see "sessions list")'],
];

for (const [line, message] of wrong) {
  test(`"talaria ${line}" is wrong, and the message says what was meant`, () => {
    assert.equal(summarise(line), `wrong: ${message}`);
  });
}

test('words in quotes that are no command are answered with how to ask them, as a shell reads it', () => {
  assert.equal(advise('list files'), 'there is no command "list files"; to ask that: talaria run "list files"');
  assert.match(advise("what's in $HOME"), /; to ask that: talaria run 'what'\\''s in \$HOME'$/);
});

function advise(written: string): string {
  const parsed = parseCommandLine([written], parseArgs);
  return parsed.type === 'bad-usage' ? parsed.message : parsed.type;
}
