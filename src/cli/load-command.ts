import type { CommandFunction, CommandName } from './command.ts';

/** Loads a command only when it runs: starting is most of what a short command does. */
export function loadCommand(name: CommandName): Promise<CommandFunction> {
  return loaders[name]();
}

const loaders: Readonly<Record<CommandName, () => Promise<CommandFunction>>> = {
  chat: async () => (await import('./chat/chat-command.ts')).chatCommand,
  run: async () => (await import('./run/run-command.ts')).runCommand,
  'sessions list': async () => (await import('./sessions/list-sessions.ts')).listSessions,
  'sessions show': async () => (await import('./sessions/show-session.ts')).showSession,
  'sessions search': async () => (await import('./sessions/search-sessions.ts')).searchSessions,
  'sessions export': async () => (await import('./sessions/export-session.ts')).exportSession,
  'sessions delete': async () => (await import('./sessions/delete-sessions.ts')).deleteSessions,
  'usage show': async () => (await import('./usage/show-usage.ts')).showUsage,
  'usage why': async () => (await import('./usage/explain-usage.ts')).explainUsage,
  'config show': async () => (await import('./config/show-config.ts')).showConfig,
  'config path': async () => (await import('./config/show-path.ts')).showPath,
  'config check': async () => (await import('./config/check-config.ts')).checkConfigFile,
  'config schema': async () => (await import('./config/show-schema.ts')).showSchema,
  'model list': async () => (await import('./model/list-models.ts')).listModels,
  'model set': async () => (await import('./model/set-model.ts')).setModel,
  'model check': async () => (await import('./model/check-model.ts')).checkOneModel,
  'model refresh': async () => (await import('./model/refresh-prices.ts')).refreshModelPrices,
  'gateway run': async () => (await import('./gateway/run-gateway.ts')).runGateway,
  'gateway setup': async () => (await import('./gateway/set-up.ts')).setUpGateway,
  'gateway start': async () => (await import('./gateway/start-gateway.ts')).startGateway,
  'gateway stop': async () => (await import('./gateway/stop-gateway.ts')).stopGateway,
  'gateway restart': async () => (await import('./gateway/restart-gateway.ts')).restartGateway,
  'gateway status': async () => (await import('./gateway/show-status.ts')).showStatus,
  'gateway logs': async () => (await import('./gateway/show-logs.ts')).showLogs,
  'gateway install': async () => (await import('./gateway/install-service.ts')).installService,
  'gateway uninstall': async () => (await import('./gateway/install-service.ts')).uninstallService,
  'gateway pair': async () => (await import('./gateway/people.ts')).pairPerson,
  'gateway people': async () => (await import('./gateway/people.ts')).listPeople,
  'gateway revoke': async () => (await import('./gateway/people.ts')).revokePerson,
  'gateway link': async () => (await import('./gateway/people.ts')).printLink,
  'gateway logout': async () => (await import('./gateway/people.ts')).logOutBrowsers,
  'mcp add': async () => (await import('./mcp/change-servers.ts')).addServer,
  'mcp remove': async () => (await import('./mcp/change-servers.ts')).removeServer,
  'mcp list': async () => (await import('./mcp/test-servers.ts')).listServers,
  'mcp test': async () => (await import('./mcp/test-servers.ts')).testServers,
  'trust add': async () => (await import('./trust/trust-folders.ts')).trustFolder,
  'trust list': async () => (await import('./trust/trust-folders.ts')).listTrusted,
  'trust remove': async () => (await import('./trust/trust-folders.ts')).distrustFolder,
  help: async () => (await import('./show-help.ts')).showHelp,
};
