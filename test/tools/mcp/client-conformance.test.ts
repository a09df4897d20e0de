import { testScenario } from './conformance-scenario.ts';

// Each of them starts two programs; the other ones are played in the deep form.
testScenario('initialize', ['mcp-client-initialization']);
testScenario('tools_call', ['tool-add-numbers']);
testScenario('sse-retry', ['client-sse-graceful-reconnect', 'client-sse-last-event-id', 'client-sse-retry-timing']);
testScenario('auth/metadata-var3', ['client-registration', 'authorization-request', 'token-request']);
testScenario('auth/scope-step-up', ['scope-step-up-initial', 'scope-step-up-escalation']);
testScenario('auth/pre-registration', ['pre-registration-auth', 'authorization-request', 'token-request']);
