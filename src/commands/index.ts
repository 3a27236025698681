// COMMANDS: what people type. Commands of the API have no file: cli/operations/operation-command.ts makes one of each operation in api/resources.
// The files here are verbs with behaviour of their own. One that is registered under the id of an operation replaces it.

import type {CommandClass} from '../cli/base.js';

/** Loads the class of a command: a start loads one command. */
type Load = () => Promise<CommandClass>;

/** Commands that have a file. */
export const HAND_WRITTEN: Readonly<Record<string, Load>> = {
  api: async () => (await import('./api.js')).ApiCommand,
  'billing-statements:aging': async () => (await import('./billing-statements/aging.js')).BillingStatementsAgingCommand,
  'billing-statements:create': async () =>
    (await import('./billing-statements/create.js')).BillingStatementsCreateCommand,
  'billing-statements:edit': async () => (await import('./billing-statements/edit.js')).BillingStatementsEditCommand,
  'billing-statements:export': async () =>
    (await import('./billing-statements/export.js')).BillingStatementsExportCommand,
  'billing-statements:import': async () =>
    (await import('./billing-statements/import.js')).BillingStatementsImportCommand,
  'billing-statements:remind': async () =>
    (await import('./billing-statements/remind.js')).BillingStatementsRemindCommand,
  'billing-statements:settle': async () =>
    (await import('./billing-statements/settle.js')).BillingStatementsSettleCommand,
  'billing-statements:duplicate': async () =>
    (await import('./billing-statements/duplicate.js')).BillingStatementsDuplicateCommand,
  'billing-statements:link': async () => (await import('./billing-statements/link.js')).BillingStatementsLinkCommand,
  'billing-statements:open': async () => (await import('./billing-statements/open.js')).BillingStatementsOpenCommand,
  'billing-statements:reissue': async () =>
    (await import('./billing-statements/reissue.js')).BillingStatementsReissueCommand,
  'billing-statements:wait': async () => (await import('./billing-statements/wait.js')).BillingStatementsWaitCommand,
  commands: async () => (await import('./commands.js')).CommandsCommand,
  'config:get': async () => (await import('./config/get.js')).ConfigGetCommand,
  'config:list': async () => (await import('./config/list.js')).ConfigListCommand,
  'config:set': async () => (await import('./config/set.js')).ConfigSetCommand,
  'config:unset': async () => (await import('./config/unset.js')).ConfigUnsetCommand,
  'customers:ledger': async () => (await import('./customers/ledger.js')).CustomersLedgerCommand,
  get: async () => (await import('./get.js')).GetCommand,
  help: async () => (await import('./help.js')).HelpCommand,
  'help:exit-codes': async () => (await import('./help/exit-codes.js')).ExitCodesCommand,
  'help:flags': async () => (await import('./help/flags.js')).FlagsCommand,
  history: async () => (await import('./history.js')).HistoryCommand,
  'jobs:abandon': async () => (await import('./jobs/abandon.js')).JobsAbandonCommand,
  'jobs:get': async () => (await import('./jobs/get.js')).JobsGetCommand,
  'jobs:keep': async () => (await import('./jobs/keep.js')).JobsKeepCommand,
  'jobs:list': async () => (await import('./jobs/list.js')).JobsListCommand,
  'jobs:purge': async () => (await import('./jobs/purge.js')).JobsPurgeCommand,
  'jobs:resume': async () => (await import('./jobs/resume.js')).JobsResumeCommand,
  login: async () => (await import('./login.js')).LoginCommand,
  logout: async () => (await import('./logout.js')).LogoutCommand,
  'profiles:list': async () => (await import('./profiles/list.js')).ProfilesListCommand,
  'profiles:remove': async () => (await import('./profiles/remove.js')).ProfilesRemoveCommand,
  'profiles:rename': async () => (await import('./profiles/rename.js')).ProfilesRenameCommand,
  'profiles:use': async () => (await import('./profiles/use.js')).ProfilesUseCommand,
  'refunds:create': async () => (await import('./refunds/create.js')).RefundsCreateCommand,
  'sandbox:cards': async () => (await import('./sandbox/cards.js')).CardsCommand,
  'sandbox:clock': async () => (await import('./sandbox/clock.js')).ClockCommand,
  'sandbox:demo': async () => (await import('./sandbox/demo.js')).DemoCommand,
  'sandbox:events': async () => (await import('./sandbox/events/list.js')).EventsCommand,
  'sandbox:events:get': async () => (await import('./sandbox/events/get.js')).EventsGetCommand,
  'sandbox:events:list': async () => (await import('./sandbox/events/list.js')).EventsListCommand,
  'sandbox:events:resend': async () => (await import('./sandbox/events/resend.js')).EventsResendCommand,
  'sandbox:pay': async () => (await import('./sandbox/pay.js')).PayCommand,
  'sandbox:reset': async () => (await import('./sandbox/reset.js')).ResetCommand,
  'sandbox:seed': async () => (await import('./sandbox/seed.js')).SeedCommand,
  'sandbox:serve': async () => (await import('./sandbox/serve.js')).ServeCommand,
  status: async () => (await import('./status.js')).StatusCommand,
  'webhooks:deliveries:get': async () => (await import('./webhooks/deliveries/get.js')).DeliveriesGetCommand,
  'webhooks:deliveries:list': async () => (await import('./webhooks/deliveries/list.js')).DeliveriesListCommand,
  'webhooks:listen': async () => (await import('./webhooks/listen.js')).ListenCommand,
  'webhooks:replay': async () => (await import('./webhooks/replay.js')).ReplayCommand,
  'webhooks:trigger': async () => (await import('./webhooks/trigger.js')).TriggerCommand,
  'webhooks:test': async () => (await import('./webhooks/test.js')).TestCommand,
  'webhooks:verify': async () => (await import('./webhooks/verify.js')).VerifyCommand,
};

/** The class of a command. @param id `billing-statements:create`, of a command that exists */
export async function loadCommand(id: string): Promise<CommandClass> {
  const load = HAND_WRITTEN[id];
  if (load) return load();
  const [{operations}, {commandOf}] = await Promise.all([
    import('../api/registry.js'),
    import('../cli/operations/operation-command.js'),
  ]);
  return commandOf(operations.find((operation) => operation.id === id)!);
}

/** Every command by its id. */
export async function loadCommands(): Promise<Readonly<Record<string, CommandClass>>> {
  const {operations} = await import('../api/registry.js');
  const ids = new Set([...operations.map(({id}) => id), ...Object.keys(HAND_WRITTEN)]);
  return Object.fromEntries(await Promise.all([...ids].map(async (id) => [id, await loadCommand(id)] as const)));
}
