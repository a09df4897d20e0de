import type { Manner } from './command-line.ts';

export type Form = 'poem' | 'haiku' | 'list' | 'note';

/** What a clause asks for. A path that is left open is the one that the step before dealt with. */
export type Intent =
  | { readonly type: 'list'; readonly path: string }
  | { readonly type: 'time' }
  /** A command that is left open is the last one that was run. */
  | ({ readonly type: 'run'; readonly command: string | undefined } & Manner)
  | { readonly type: 'serve'; readonly port: number; readonly where: Manner['where'] }
  | { readonly type: 'processes' }
  /** A process that is left open is the newest one. */
  | { readonly type: 'stop' | 'output'; readonly id: string | undefined }
  | { readonly type: 'read'; readonly path: string | undefined }
  | { readonly type: 'write'; readonly path: string | undefined; readonly text: string }
  | { readonly type: 'append'; readonly path: string | undefined; readonly text: string }
  | {
      readonly type: 'replace';
      readonly path: string | undefined;
      readonly old: string;
      readonly by: string;
      readonly where: 'once' | 'everywhere';
    }
  | { readonly type: 'delete'; readonly path: string | undefined }
  | { readonly type: 'compose'; readonly path: string | undefined; readonly form: Form; readonly topic: string }
  | { readonly type: 'find'; readonly what: string; readonly path: string; readonly among: 'content' | 'files' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'greet' }
  | { readonly type: 'unclear' };
