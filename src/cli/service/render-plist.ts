import { join } from 'node:path';
import { longestStopMs, ownMark } from './service-keeper.ts';
import type { ServiceFacts } from './service-keeper.ts';

type PlistValue = string | number | boolean | readonly string[] | { readonly [key: string]: PlistValue };

/** The launchd agent. Pure: the same facts give the same bytes, so that an outdated file can be told. */
export function renderPlist(label: string, facts: ServiceFacts): string {
  const { node, script, home, logs, userHome, path, language, drainMs } = facts;
  const output = join(logs, 'gateway.out');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${ownMark}, and removed by \`talaria gateway uninstall\`. -->
<plist version="1.0">
${render({
  Label: label,
  ProgramArguments: [node, script, 'gateway', 'run'],
  EnvironmentVariables: {
    TALARIA_HOME: home,
    TALARIA_KEEPER: 'launchd',
    TALARIA_LONGEST_DRAIN: `${drainMs / 1000}`,
    PATH: path,
    ...(language === undefined ? {} : { LANG: language }),
  },
  WorkingDirectory: userHome,
  RunAtLoad: true,
  // An end with code 0 was wanted; every other one brings it back, a restart that was asked for among them.
  KeepAlive: { SuccessfulExit: false },
  ThrottleInterval: 30,
  // Commands that the agent runs outlive a restart, which goes on with them.
  AbandonProcessGroup: true,
  ExitTimeOut: longestStopMs(drainMs) / 1000,
  SoftResourceLimits: { Core: 0 },
  StandardOutPath: output,
  StandardErrorPath: output,
})}
</plist>
`;
}

function render(value: PlistValue, indent = ''): string {
  if (typeof value === 'string') return `${indent}<string>${escape(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value ? 'true' : 'false'}/>`;
  const inner = `${indent}  `;
  if (isList(value))
    return `${indent}<array>\n${value.map((each) => render(each, inner)).join('\n')}\n${indent}</array>`;
  const entries = Object.entries(value).map(
    ([key, each]) => `${inner}<key>${escape(key)}</key>\n${render(each, inner)}`,
  );
  return `${indent}<dict>\n${entries.join('\n')}\n${indent}</dict>`;
}

function isList(value: PlistValue): value is readonly string[] {
  return Array.isArray(value);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
