import { exitCodes } from '../exit-codes.ts';
import { longestStopMs, ownMark } from './service-keeper.ts';
import type { ServiceFacts } from './service-keeper.ts';

export interface UnitFacts extends ServiceFacts {
  readonly unit: string;
  readonly systemdVersion: number;
}

/** The systemd user unit. Pure: the same facts give the same bytes, so that an outdated file can be told. */
export function renderUnit(facts: UnitFacts): string {
  const { node, script, home, path, language, drainMs } = facts;
  const environment = [
    `TALARIA_HOME=${home}`,
    'TALARIA_KEEPER=systemd',
    `TALARIA_LONGEST_DRAIN=${drainMs / 1000}`,
    `PATH=${path}`,
    ...(language === undefined ? [] : [`LANG=${language}`]),
  ];
  return `# ${ownMark}, and removed by \`talaria gateway uninstall\`.
# Changes of your own belong into a drop-in: systemctl --user edit ${facts.unit}
[Unit]
Description=Talaria gateway
# It is started again however often it fails, each time after a longer pause.
StartLimitIntervalSec=0

[Service]
Type=exec
# The colon: nothing in these words stands for a variable.
ExecStart=:${[node, script, 'gateway', 'run'].map(quote).join(' ')}
# No key is in here: they are read from .env in the home.
${environment.map((each) => `Environment=${quote(each)}`).join('\n')}
# Commands that the agent runs outlive a restart, which goes on with them.
KillMode=process
# Running turns get agent.restart_drain_timeout, and the rest some time on top.
TimeoutStopSec=${longestStopMs(drainMs) / 1000}
Restart=on-failure
${describeRestarts(facts.systemdVersion)}
# It was asked to restart.
RestartForceExitStatus=${exitCodes.restarting}
SuccessExitStatus=${exitCodes.restarting}
# A wrong command line, a damaged store or wrong settings: no restart mends those.
RestartPreventExitStatus=${exitCodes.badUsage} ${exitCodes.unusableStore} ${exitCodes.notConfigured}
# A core dump would hold keys. Commands may raise the limit for themselves.
LimitCORE=0:infinity
# A command that eats all memory does not take the gateway with it.
OOMPolicy=continue
# Nothing that takes rights away from the commands of the agent, sudo among them, is set here.

[Install]
WantedBy=default.target
`;
}

/** Pauses that grow came with version 254; before it the pause is always the same. */
function describeRestarts(version: number): string {
  return version < 254 ? 'RestartSec=5' : 'RestartSec=2\nRestartSteps=8\nRestartMaxDelaySec=300';
}

/** A word as systemd reads it: in quotes, with C escapes, and with no specifier in it. */
function quote(word: string): string {
  const escaped = escapeSpecifiers(word)
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}

function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
