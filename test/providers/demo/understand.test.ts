import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Intent } from '../../../src/providers/demo/intent.ts';
import { understand } from '../../../src/providers/demo/understand.ts';

function understandsAs(table: Readonly<Record<string, Intent | readonly Intent[]>>): void {
  for (const [text, expected] of Object.entries(table)) {
    assert.deepEqual(understand(text), [expected].flat(), text);
  }
}

const here: Intent = { type: 'list', path: '.' };
const time: Intent = { type: 'time' };
const unclear: Intent = { type: 'unclear' };

function run(command: string | undefined, where: 'usual' | 'outside' = 'usual'): Intent {
  return { type: 'run', command, where, waits: 'for-its-end' };
}

function start(command: string | undefined, where: 'usual' | 'outside' = 'usual'): Intent {
  return { type: 'run', command, where, waits: 'not-at-all' };
}

function read(path: string | undefined): Intent {
  return { type: 'read', path };
}

test('the demo knows when a folder is to be listed', () => {
  understandsAs({
    'list the files here': here,
    ls: here,
    'Which files are here?': here,
    'could you please list everything in this folder': here,
    'make a list of the files in src': { type: 'list', path: 'src' },
    "what's in src": { type: 'list', path: 'src' },
    'show me the files in the docs folder': { type: 'list', path: 'docs' },
    'what files are in test/support?': { type: 'list', path: 'test/support' },
    'list the files in "my folder"': { type: 'list', path: 'my folder' },
    'list the files in ..': { type: 'list', path: '..' },
  });
});

test('the demo knows when it is asked for the time', () => {
  understandsAs({
    'what time is it': time,
    'What day is it today?': time,
    'tell me the date': time,
    time,
    'what year is it': time,
  });
});

test('the demo takes a command as it is given, and prose for prose', () => {
  understandsAs({
    'run `uname -a`': run('uname -a'),
    'run uname -a': run('uname -a'),
    '`ls -la`': run('ls -la'),
    'please run "echo hi" for me': run('echo hi'),
    'execute the command `a; b then c`': run('a; b then c'),
    "run grep 'foo bar' x.txt": run("grep 'foo bar' x.txt"),
    'run echo "$HOME" \'a b\'': run('echo "$HOME" \'a b\''),
    'run ./a.out': run('./a.out'),
    'run a.out': run('a.out'),
    'run the tests': unclear,
  });
});

test('a command without quotes takes the whole line, whatever the shell separates in it', () => {
  understandsAs({
    'run sleep 12; date > done.txt; echo finished': run('sleep 12; date > done.txt; echo finished'),
    'please run if true; then echo "a; b"; fi': run('if true; then echo "a; b"; fi'),
    '$ cd src && ls *.ts, then wait. Done?': run('cd src && ls *.ts, then wait. Done?'),
    'run "my program" a; date': run('"my program" a; date'),
    'run git add .\nwhat time is it': [run('git add .'), time],
    'what time is it; run a; b': [time, run('a; b')],
    'what time is it\nrun a; b': [time, run('a; b')],
    'run `a`\nrun b; c': [run('a'), run('b; c')],
    'run `a; b`; what time is it': [run('a; b'), time],
    'run `a` and then run `b`': [run('a'), run('b')],
    'run the tests; what time is it': [unclear, time],
  });
});

test('the demo knows when a command is to leave the sandbox', () => {
  understandsAs({
    'run date > /etc/x; date outside the sandbox': run('date > /etc/x; date', 'outside'),
    'run `touch a` outside of the sandbox.': run('touch a', 'outside'),
    'run touch a outside the sandbox, then read a.txt': [run('touch a', 'outside'), read('a.txt')],
    'run echo outside the sandbox is cold': run('echo outside the sandbox is cold'),
    'run it outside the sandbox': run(undefined, 'outside'),
    'run that again': run(undefined),
  });
});

test('the demo knows what is to run in the background, and what is asked about it', () => {
  understandsAs({
    'run sleep 60; date in the background': start('sleep 60; date'),
    'run `sleep 60` in the background and outside the sandbox': start('sleep 60', 'outside'),
    'start npm run dev in the background, then what is running': [start('npm run dev'), { type: 'processes' }],
    'start `sleep 60`': start('sleep 60'),
    'start it outside the sandbox': start(undefined, 'outside'),
    'start a server in the background': { type: 'serve', port: 8000, where: 'usual' },
    'run a small web server on port 3000 outside the sandbox': { type: 'serve', port: 3000, where: 'outside' },
    'start over': unclear,
    'start a revolution in the background': unclear,
    'what is running?': { type: 'processes' },
    'which processes are running': { type: 'processes' },
    'what is a process': unclear,
    'show its output': { type: 'output', id: undefined },
    'show me the output of proc_12ab': { type: 'output', id: 'proc_12ab' },
    'what did it print?': { type: 'output', id: undefined },
    'stop it': { type: 'stop', id: undefined },
    'stop the server': { type: 'stop', id: undefined },
    'kill proc_12ab': { type: 'stop', id: 'proc_12ab' },
    'stop the rain': unclear,
  });
});

test('the demo knows which file is to be read', () => {
  understandsAs({
    'read package.json': read('package.json'),
    'show me README.md': read('README.md'),
    'what does ./src/app.ts say?': read('./src/app.ts'),
    'what is in package.json': read('package.json'),
    'cat LICENSE': read('LICENSE'),
    'open "my notes.txt"': read('my notes.txt'),
    'read .gitignore': read('.gitignore'),
  });
});

test('the demo knows what is to be written where', () => {
  understandsAs({
    'write a poem to poem.txt': { type: 'compose', form: 'poem', topic: '', path: 'poem.txt' },
    'Write a haiku about the sea to out/sea.txt.': {
      type: 'compose',
      form: 'haiku',
      topic: 'the sea',
      path: 'out/sea.txt',
    },
    'create a file called notes.txt with a note about cats': {
      type: 'compose',
      form: 'note',
      topic: 'cats',
      path: 'notes.txt',
    },
    'create poem.txt with a poem about rain': { type: 'compose', form: 'poem', topic: 'rain', path: 'poem.txt' },
    'save a list of fruits in fruits.md': { type: 'compose', form: 'list', topic: 'fruits', path: 'fruits.md' },
    'write me a short story about a dog': { type: 'compose', form: 'note', topic: 'a dog', path: undefined },
    'write "hello; world then" to hello.txt': { type: 'write', text: 'hello; world then', path: 'hello.txt' },
    'put `a,b` into data.csv': { type: 'write', text: 'a,b', path: 'data.csv' },
    'write hello to out.txt': { type: 'write', text: 'hello', path: 'out.txt' },
    'write hello world to hello.txt': { type: 'write', text: 'hello world', path: 'hello.txt' },
  });
});

test('what is not clearly a text for a file overwrites none', () => {
  understandsAs({
    'write documentation to README.md': unclear,
    'write a summary to out.txt': unclear,
    'add logging to src/app.ts': unclear,
    'append tests to test.ts': unclear,
    'delete everything in src': unclear,
    'save my work to report.md': unclear,
    'add a line to notes.txt': unclear,
    'fix the bug in src/app.ts': unclear,
    'write code for a web server to server.js': unclear,
  });
});

test('the demo knows what is to be changed in a file, added to it, or deleted', () => {
  const replace = { type: 'replace', path: 'out.txt', old: 'hello', by: 'bye', where: 'once' } as const;
  understandsAs({
    'replace "hello" with "bye" in out.txt': replace,
    'change hello to bye in out.txt': replace,
    'in out.txt, replace the word hello by bye': replace,
    'replace all hello with bye in the file out.txt': { ...replace, where: 'everywhere' },
    'replace "go to" with "with to" everywhere in "a b.txt"': {
      ...replace,
      path: 'a b.txt',
      old: 'go to',
      by: 'with to',
      where: 'everywhere',
    },
    'append one more line of "x" to out.txt': unclear,
    'append bye to out.txt': { type: 'append', path: 'out.txt', text: 'bye' },
    'add "one more" to the end of out.txt': { type: 'append', path: 'out.txt', text: 'one more' },
    'delete out.txt': { type: 'delete', path: 'out.txt' },
    'please remove the file "my notes.txt"': { type: 'delete', path: 'my notes.txt' },
    'write hello to out.txt then change hello to bye in it then delete it': [
      { type: 'write', path: 'out.txt', text: 'hello' },
      { ...replace, path: undefined },
      { type: 'delete', path: undefined },
    ],
  });
});

test('the demo knows what to look for, and where', () => {
  understandsAs({
    'find TODO in src': { type: 'find', what: 'TODO', path: 'src', among: 'content' },
    'search for createServer': { type: 'find', what: 'createServer', path: '.', among: 'content' },
    'grep for "use strict" in lib': { type: 'find', what: 'use strict', path: 'lib', among: 'content' },
    'where is runTurn defined?': { type: 'find', what: 'runTurn', path: '.', among: 'content' },
    'search for the word banana in this folder': { type: 'find', what: 'banana', path: '.', among: 'content' },
    'find all files named *.ts': { type: 'find', what: '*.ts', path: '.', among: 'files' },
    'find files called package.json in test': { type: 'find', what: '*package.json*', path: 'test', among: 'files' },
    'find *.md files': { type: 'find', what: '*.md', path: '.', among: 'files' },
  });
});

test('the demo takes one thing after another', () => {
  understandsAs({
    'write a haiku about rain to rain.txt and then read it': [
      { type: 'compose', form: 'haiku', topic: 'rain', path: 'rain.txt' },
      read(undefined),
    ],
    'list the files, then read the first one': [here, read(undefined)],
    'What time is it? Then run `uname`.': [time, run('uname')],
  });
});

test('the demo greets, repeats, and does not pretend to understand the rest', () => {
  understandsAs({
    hello: { type: 'greet' },
    'what can you do?': { type: 'greet' },
    'say hi': { type: 'say', text: 'hi' },
    'What is the capital of France?': unclear,
    'delete all files': unclear,
    'show me the weather': unclear,
    'translate hello to French': unclear,
    '': [],
  });
});
