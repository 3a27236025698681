// COMMANDS: what people type. Commands of the API have no file: cli/operation-command.ts makes one of each operation in api/resources.
// The files here are verbs with behaviour of their own. One that is registered under the id of an operation replaces it.

import {operations} from '../api/registry.js';
import {ApiCommand} from './api.js';
import type {BaseCommand} from '../cli/base.js';
import {BillingStatementsCreateCommand} from './billing-statements/create.js';
import {CommandsCommand} from './commands.js';
import {ConfigGetCommand} from './config/get.js';
import {ConfigListCommand} from './config/list.js';
import {ConfigSetCommand} from './config/set.js';
import {ConfigUnsetCommand} from './config/unset.js';
import {GetCommand} from './get.js';
import {HelpCommand} from './help.js';
import {ExitCodesCommand} from './help/exit-codes.js';
import {FlagsCommand} from './help/flags.js';
import {HistoryCommand} from './history.js';
import {LoginCommand} from './login.js';
import {LogoutCommand} from './logout.js';
import {commandOf} from '../cli/operation-command.js';
import {ProfilesListCommand} from './profiles/list.js';
import {ProfilesRemoveCommand} from './profiles/remove.js';
import {ProfilesRenameCommand} from './profiles/rename.js';
import {ProfilesUseCommand} from './profiles/use.js';
import {CardsCommand} from './sandbox/cards.js';
import {ClockCommand} from './sandbox/clock.js';
import {DemoCommand} from './sandbox/demo.js';
import {EventsGetCommand} from './sandbox/events/get.js';
import {EventsCommand, EventsListCommand} from './sandbox/events/list.js';
import {EventsResendCommand} from './sandbox/events/resend.js';
import {PayCommand} from './sandbox/pay.js';
import {ResetCommand} from './sandbox/reset.js';
import {SeedCommand} from './sandbox/seed.js';
import {ServeCommand} from './sandbox/serve.js';
import {StatusCommand} from './status.js';
import {DeliveriesGetCommand} from './webhooks/deliveries/get.js';
import {DeliveriesListCommand} from './webhooks/deliveries/list.js';
import {ListenCommand} from './webhooks/listen.js';
import {ReplayCommand} from './webhooks/replay.js';
import {TriggerCommand} from './webhooks/trigger.js';
import {TestCommand} from './webhooks/test.js';
import {VerifyCommand} from './webhooks/verify.js';

/** Commands that have a file. */
export const HAND_WRITTEN: Readonly<Record<string, typeof BaseCommand>> = {
  api: ApiCommand,
  'billing-statements:create': BillingStatementsCreateCommand,
  commands: CommandsCommand,
  'config:get': ConfigGetCommand,
  'config:list': ConfigListCommand,
  'config:set': ConfigSetCommand,
  'config:unset': ConfigUnsetCommand,
  get: GetCommand,
  help: HelpCommand,
  'help:exit-codes': ExitCodesCommand,
  'help:flags': FlagsCommand,
  history: HistoryCommand,
  login: LoginCommand,
  logout: LogoutCommand,
  'profiles:list': ProfilesListCommand,
  'profiles:remove': ProfilesRemoveCommand,
  'profiles:rename': ProfilesRenameCommand,
  'profiles:use': ProfilesUseCommand,
  'sandbox:cards': CardsCommand,
  'sandbox:clock': ClockCommand,
  'sandbox:demo': DemoCommand,
  'sandbox:events': EventsCommand,
  'sandbox:events:get': EventsGetCommand,
  'sandbox:events:list': EventsListCommand,
  'sandbox:events:resend': EventsResendCommand,
  'sandbox:pay': PayCommand,
  'sandbox:reset': ResetCommand,
  'sandbox:seed': SeedCommand,
  'sandbox:serve': ServeCommand,
  status: StatusCommand,
  'webhooks:deliveries:get': DeliveriesGetCommand,
  'webhooks:deliveries:list': DeliveriesListCommand,
  'webhooks:listen': ListenCommand,
  'webhooks:replay': ReplayCommand,
  'webhooks:trigger': TriggerCommand,
  'webhooks:test': TestCommand,
  'webhooks:verify': VerifyCommand,
};

/** Every command by its id, as oclif's explicit strategy reads it. */
export const COMMANDS: Readonly<Record<string, typeof BaseCommand>> = {
  ...Object.fromEntries(operations.map((registered) => [registered.id, commandOf(registered)])),
  ...HAND_WRITTEN,
};
