// The hand-written commands. An entry with the id of an operation replaces the derived command.

import type {CommandClass} from './cli/base.js';

/** Loads each command separately, because a run needs only one. */
export const HAND_WRITTEN: Readonly<Record<string, () => Promise<CommandClass>>> = {
  approve: async () => (await import('./commands/approve.js')).ApproveCommand,
  api: async () => (await import('./commands/api.js')).ApiCommand,
  'billing-statements:aging': async () => (await import('./commands/billing-statements/aging.js')).AgingCommand,
  'billing-statements:create': async () =>
    (await import('./commands/billing-statements/create/create.js')).CreateCommand,
  'billing-statements:edit': async () => (await import('./commands/billing-statements/edit.js')).EditCommand,
  'billing-statements:export': async () => (await import('./commands/billing-statements/export.js')).ExportCommand,
  'billing-statements:import': async () => (await import('./commands/billing-statements/import.js')).ImportCommand,
  'billing-statements:remind': async () =>
    (await import('./commands/billing-statements/remind/remind.js')).RemindCommand,
  'billing-statements:send': async () => (await import('./commands/billing-statements/send.js')).SendCommand,
  'billing-statements:settle': async () => (await import('./commands/billing-statements/settle.js')).SettleCommand,
  'billing-statements:duplicate': async () =>
    (await import('./commands/billing-statements/duplicate.js')).DuplicateCommand,
  'billing-statements:link': async () => (await import('./commands/billing-statements/link.js')).LinkCommand,
  'billing-statements:open': async () => (await import('./commands/billing-statements/open.js')).StatementOpenCommand,
  'billing-statements:print': async () => (await import('./commands/billing-statements/print/print.js')).PrintCommand,
  'billing-statements:reissue': async () => (await import('./commands/billing-statements/reissue.js')).ReissueCommand,
  'billing-statements:wait': async () => (await import('./commands/billing-statements/wait.js')).WaitCommand,
  'columns:forget': async () => (await import('./commands/columns.js')).ColumnsForgetCommand,
  'columns:list': async () => (await import('./commands/columns.js')).ColumnsListCommand,
  commands: async () => (await import('./commands/commands.js')).CommandsCommand,
  'completion:install': async () => (await import('./commands/completion.js')).CompletionInstallCommand,
  'completion:print': async () => (await import('./commands/completion.js')).CompletionPrintCommand,
  'config:get': async () => (await import('./commands/config/get.js')).ConfigGetCommand,
  'config:list': async () => (await import('./commands/config/list.js')).ConfigListCommand,
  'config:set': async () => (await import('./commands/config/set.js')).ConfigSetCommand,
  'config:unset': async () => (await import('./commands/config/set.js')).ConfigUnsetCommand,
  'customers:ledger': async () => (await import('./commands/customers/ledger.js')).CustomersLedgerCommand,
  dev: async () => (await import('./commands/dev.js')).DevCommand,
  doctor: async () => (await import('./commands/doctor/doctor.js')).DoctorCommand,
  find: async () => (await import('./commands/find.js')).FindCommand,
  get: async () => (await import('./commands/get.js')).GetCommand,
  help: async () => (await import('./commands/commands.js')).HelpCommand,
  'help:agents': async () => (await import('./commands/help.js')).AgentsCommand,
  'help:exit-codes': async () => (await import('./commands/help.js')).ExitCodesCommand,
  'help:flags': async () => (await import('./commands/help.js')).FlagsCommand,
  history: async () => (await import('./commands/history.js')).HistoryCommand,
  'jobs:get': async () => (await import('./commands/jobs/get.js')).JobsGetCommand,
  'jobs:list': async () => (await import('./commands/jobs/list.js')).JobsListCommand,
  'jobs:remove': async () => (await import('./commands/jobs/remove.js')).JobsRemoveCommand,
  'jobs:resume': async () => (await import('./commands/jobs/resume.js')).JobsResumeCommand,
  'jobs:void': async () => (await import('./commands/jobs/void.js')).JobsVoidCommand,
  login: async () => (await import('./commands/login/login.js')).LoginCommand,
  logout: async () => (await import('./commands/logout.js')).LogoutCommand,
  mcp: async () => (await import('./commands/mcp/mcp.js')).McpCommand,
  month: async () => (await import('./commands/month.js')).MonthCommand,
  paid: async () => (await import('./commands/paid.js')).PaidCommand,
  'profiles:list': async () => (await import('./commands/profiles/list.js')).ProfilesListCommand,
  'profiles:remove': async () => (await import('./commands/profiles/remove.js')).ProfilesRemoveCommand,
  'profiles:use': async () => (await import('./commands/profiles/use.js')).ProfilesUseCommand,
  'refunds:create': async () => (await import('./commands/refunds/create.js')).RefundsCreateCommand,
  'sandbox:clock': async () => (await import('./commands/sandbox/clock.js')).ClockCommand,
  'sandbox:demo': async () => (await import('./commands/sandbox/demo.js')).DemoCommand,
  'sandbox:events': async () => (await import('./commands/sandbox/events/list.js')).EventsCommand,
  'sandbox:events:get': async () => (await import('./commands/sandbox/events/get.js')).EventsGetCommand,
  'sandbox:events:list': async () => (await import('./commands/sandbox/events/list.js')).EventsListCommand,
  'sandbox:events:resend': async () => (await import('./commands/sandbox/events/resend.js')).EventsResendCommand,
  'sandbox:fail': async () => (await import('./commands/sandbox/fail.js')).FailCommand,
  'sandbox:logs': async () => (await import('./commands/sandbox/logs.js')).LogsCommand,
  'sandbox:open': async () => (await import('./commands/sandbox/open.js')).SandboxOpenCommand,
  'sandbox:pay': async () => (await import('./commands/sandbox/pay.js')).PayCommand,
  'sandbox:projects:list': async () => (await import('./commands/sandbox/projects/list.js')).ProjectsListCommand,
  'sandbox:projects:remove': async () => (await import('./commands/sandbox/projects/remove.js')).ProjectsRemoveCommand,
  'sandbox:reset': async () => (await import('./commands/sandbox/reset.js')).ResetCommand,
  'sandbox:seed': async () => (await import('./commands/sandbox/seed.js')).SeedCommand,
  'sandbox:serve': async () => (await import('./commands/sandbox/serve.js')).ServeCommand,
  'sandbox:snapshot:delete': async () => (await import('./commands/sandbox/snapshot/delete.js')).SnapshotDeleteCommand,
  'sandbox:snapshot:list': async () => (await import('./commands/sandbox/snapshot/list.js')).SnapshotListCommand,
  'sandbox:snapshot:load': async () => (await import('./commands/sandbox/snapshot/load.js')).SnapshotLoadCommand,
  'sandbox:snapshot:save': async () => (await import('./commands/sandbox/snapshot/save.js')).SnapshotSaveCommand,
  status: async () => (await import('./commands/status.js')).StatusCommand,
  'webhooks:deliveries:get': async () => (await import('./commands/webhooks/deliveries/get.js')).DeliveriesGetCommand,
  'webhooks:deliveries:list': async () =>
    (await import('./commands/webhooks/deliveries/list.js')).DeliveriesListCommand,
  'webhooks:listen': async () => (await import('./commands/webhooks/listen/listen.js')).ListenCommand,
  'webhooks:replay': async () => (await import('./commands/webhooks/replay.js')).ReplayCommand,
  'webhooks:secret': async () => (await import('./commands/webhooks/secret.js')).SecretCommand,
  'webhooks:trigger': async () => (await import('./commands/webhooks/trigger.js')).TriggerCommand,
  'webhooks:test': async () => (await import('./commands/webhooks/test.js')).TestCommand,
  why: async () => (await import('./commands/why/why.js')).WhyCommand,
  'webhooks:verify': async () => (await import('./commands/webhooks/verify.js')).VerifyCommand,
};

/** @param id an existing command, such as `billing-statements:create` */
export async function loadCommand(id: string): Promise<CommandClass> {
  const load = HAND_WRITTEN[id];
  if (load) return load();
  const [{operations}, {commandOf}] = await Promise.all([
    import('./api/registry.js'),
    import('./cli/operations/operation-command.js'),
  ]);
  return commandOf(operations.find((operation) => operation.id === id)!);
}

export async function loadCommands(): Promise<Readonly<Record<string, CommandClass>>> {
  const {operations} = await import('./api/registry.js');
  const ids = new Set([...operations.map(({id}) => id), ...Object.keys(HAND_WRITTEN)]);
  return Object.fromEntries(await Promise.all([...ids].map(async (id) => [id, await loadCommand(id)] as const)));
}
