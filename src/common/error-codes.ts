// Every error code of centavo, by exit name: what it means and what to do. docs/errors.md is generated from it, and a test
// compares it with the codes in the source. No command loads it.

import type {ErrorKind} from './errors.js';

export interface ErrorCode {
  readonly code: string;
  readonly kinds: readonly ErrorKind[];
  readonly meaning: string;
  readonly fix: string;
}

/** A line: exit names; codes; meaning; what to do. Codes on one line share it. */
const LINES = `
usage; above_maximum below_minimum; An amount is outside its range; Give an amount within the range that the message names
usage; alike_number; An invoice number of the file differs only in case or spaces from one in the account; Write it as in the account, or bill it as another
usage; cannot_ask input_ended missing_argument missing_body missing_flag missing_key missing_secret no_ids no_secret no_tunnel nothing_to_change; A value is missing, and nobody can be asked; Give the value or flag that the message names
usage; customer_ambiguous id_ambiguous statement_ambiguous item_ambiguous several_jobs snapshot_ambiguous; Several objects match; Choose one of candidates, and give its id
usage; customer_name_differs; A row names another person than the customer of its email address; Correct the row
usage; deduction deduction_row total_row; A row or column is a deduction or a total, and not an item; Remove it, or give the net price
usage; doubtful_number doubtful_title; A number or a title row can be read in two ways; Write it as the message says
usage; duplicate_row repeated_item; Two rows bill the same; Remove one of them
usage refused; duplicate_statement; An open statement bills the same customer for the same items; Remove the row
usage; empty too_long invalid_text; A text is empty, too long or not allowed; Correct the text
usage; file_in_use; The output file is also an input; Name another file
usage; formula_error garbled_cell hidden_row merged_cell number_too_long struck_cell struck_row unread_cell; A cell of the spreadsheet cannot be used as it is; Correct the cell, and save the file again
usage; input_too_large; The input is larger than centavo reads; Divide the input
usage; invalid_argument invalid_choice invalid_list invalid_name invalid_number unknown_case unknown_event unknown_setting; A value is not one of those that the command takes; Give a value that the message names
usage; invalid_amount invalid_price invalid_quantity; An amount, price or quantity cannot be read; Write it as pesos: 1,250.50
usage; invalid_column missing_column repeated_column unknown_column; A column is missing or not understood; Say what it means with --map
usage; invalid_command invalid_state; The check of the webhook test failed to run; Correct the command
usage; invalid_customer; A row names no customer that can be billed; Correct the row
usage; invalid_data invalid_json invalid_metadata; The value of --data or --metadata cannot be read, or is reserved; Correct the value
usage; invalid_date invalid_duration invalid_month; A date, duration or month cannot be read; Write it as 2026-12-15, 30d or 2026-12
usage; invalid_email; An email address cannot be read; Correct the address
usage; invalid_cell invalid_file invalid_items_file invalid_row; An input file has faults; Correct the rows in faults
usage; invalid_env_file invalid_event_pattern invalid_route invalid_secret invalid_target invalid_url; A value for the listener is not valid; Correct the value
usage; invalid_flag unknown_flag unexpected_argument terminal_too_narrow; The flags or arguments do not go together; See the help of the command
usage; invalid_failure other_snapshot sandbox_closed unknown_parameter unknown_resource; A call of the library cannot be right; Correct it as the message says
usage; invalid_id; A value is no id or reference of this kind; List the objects, and give the id
usage; invalid_item missing_description; A line item cannot be read; Write it as "Web design x2 @ 15,000"
usage; invalid_jq; The jq program is not valid, or failed on the response; Correct the program
usage; invalid_method invalid_path; The method or path of a request is not one of the API; Correct the request
usage; invalid_profile_name no_profile; No profile, or not a valid name of one, is given; List the profiles
usage; project_without_sandbox; --project is given for a real account; Leave it out
usage; invalid_setting; A setting or its value is not valid; List the settings
usage; item_not_found; The statement has no such item; See the statement
usage; no_job job_not_found; The import was not found on this machine; List the imports
usage; not_in_pesos; The file has amounts of another currency; Convert them to pesos
usage; address_not_available port_in_use port_not_allowed; The port cannot be used; Name another port
usage; program_not_started tunnel_missing; A program could not be started; Install it, or correct its name
usage; secret_in_argument; An argument contains a secret; Pass it in a variable or on stdin, and replace the secret
usage; total_differs; The rows do not add up to the total of the file; Correct the rows
usage; twin_statement; Two rows of the import became the same statement; Check both statements
usage; missing_command unknown_command; No such command; List the commands
usage; wrong_account; The command is only for the sandbox; Add --profile sandbox
not_found; columns_not_found customer_not_found no_payment resource_not_found statement_not_found unknown_project; The object does not exist in this account; List the objects
auth; no_key; No API key is set; Log in, or set CENTAVO_SECRET_KEY
auth usage; invalid_key; An API key or an idempotency key cannot be read; Correct the key
auth; wrong_mode; --live needs a live key, and the key is a test key; Set CENTAVO_SECRET_KEY to a live key
auth; public_key; A public key cannot do this; Use a secret key
rejected; already_paid not_open not_paid not_a_draft not_payable wrong_state; The status of the object does not allow it; Follow next: the state says what is possible
rejected; already_reissued billed_twice incomplete_draft reissued_elsewhere statement_paid; The replacement of a statement is not as planned; See both statements, and follow next
rejected; captured_otherwise; The payment was captured with another amount; See the payment intent
rejected; method_not_allowed; The payment method is not allowed for this payment; Use another method
rejected; not_refundable refund_failed refunded_already; The payment cannot be refunded; Return the money in another way
condition_unmet; ended_otherwise; The object can no longer reach the status; See the object
condition_unmet; handler_failed not_accepted not_delivered program_failed; The webhook handler or program failed; See the log of the handler
condition_unmet refused; not_genuine; The signature of a delivery is wrong; Check the webhook secret
condition_unmet; payment_failed setup_failed; The sandbox payment or setup failed, as asked; Try again, or use another card
condition_unmet; problems_found; The doctor found problems; Follow their cures
unavailable; list_without_progress unusable_answer; The API gave an answer that cannot be used; Try again later; the request id helps its support
unavailable; another_program no_link not_served unreachable; The address does not answer as expected; Check the address, and start the server
unavailable; tunnel_failed tunnel_lost tunnel_not_ready tunnel_unproven; The tunnel did not open, or does not lead here; Try again, or use another tunnel
unavailable; tunnel_not_installed tunnel_not_started; The program of the tunnel could not be started; Install it, or use another tunnel
unavailable; tunnel_denied tunnel_limit tunnel_rate_limited; The tunnel was refused; Try again later, or use another tunnel
timed_out; event_not_seen; A test waited for an event that did not happen; Cause it, or move the clock as the message says
timed_out; jq_timed_out; The jq program did not finish in time; Give it more time with --timeout
outcome_unknown; not_shown statement_differs; The statement is not as it was asked for; See it before you continue
outcome_unknown partial; send_in_doubt not_done; An earlier run may have done it; Ask the customer, or check your dashboard
refused; already_listening env_file_in_use; Another listener uses the name or file; Give another name, or stop that listener
refused; moved_numbers; The invoice numbers stand for other rows than before; Give each row its own number, and name the column
refused; agent; An agent cannot do this in live mode; A person runs the command
refused; needs_person; A person has to approve the change, or to be at the terminal; A person runs the command in hand_over
refused; hand_over_claimed hand_over_done hand_over_expired hand_over_failed hand_over_rejected hand_over_unknown; The change is being run, has ended, or may have been made; Follow next, or see centavo approve --list
refused; too_many_hand_overs; 50 changes already wait for a person; A person approves or rejects them
usage; nothing_open; No change of an agent waits for a person; Nothing to do
refused; begun_before made_elsewhere; The file was imported before, in whole or in part; A person decides; next has the import
refused; billed_before repeated_refund sent_before; It would repeat an equal change; A person decides; before has the earlier change
refused; not_confirmed; A person said no, or left; Nothing to do
refused; cannot_confirm live_not_given; A person must confirm it; A person decides, at a terminal
refused; changed_meanwhile taken_over; Another person or process changed it in the meantime; See it as it is now, and run the command again
refused; customer_owes; The customer owes money; A person decides
refused; exposed unsafe_tls; A debug variable of Node would show secrets or weaken TLS; Unset the variable that the message names
refused; file_exists; The file exists, and centavo did not write it; Name another file
refused; is_replacement unexpected_items; The draft is not only of this run; See the draft
refused; idempotency_mismatch object_gone; The key was used for another change, or its object is gone; Use another key
refused; in_progress run_busy; Another process works on it; Run the command again when that process has ended
refused; job_not_begun job_not_done; The state of the import does not allow it; See the import
refused; mode_mismatch other_account other_origin; The key, mode or account is another than expected; Use the profile that the message names
refused; other_machine; The data folder was copied from another machine or folder; Check that centavo has stopped there for good, then add --adopt
refused; sandbox_reset; The sandbox was reset while the command ran; Run the command again
refused; default_project project_in_use; The project of the sandbox stays, or a process uses it; Follow hint
refused; over_max_amount read_only too_many_statements unknown_amount; A limit of the profile refuses it; A person changes the limit, at a terminal
refused; unsafe_url; An address could expose keys or data; Use an address that the message allows
keychain; keychain_failed keychain_locked keychain_missing keychain_silent no_collection no_keychain_service no_session_bus; The keychain cannot be used; Unlock it, or use --credential-command or CENTAVO_SECRET_KEY
keychain; secret_too_long; The keychain cannot hold the key; Use --credential-command
keychain config; key_changed key_gone; The stored key is gone or another one; Log in again
config; contradiction; The variables contradict each other; Unset one of them
config; credential_command_empty credential_command_failed credential_command_missing credential_command_silent; The command that gives the key failed; Run it yourself, and correct it
config; damaged_columns invalid_config unreadable_config unsafe_file; A file of the configuration is damaged, or readable by others; Follow the hint
config; invalid_proxy; The address of the proxy is not valid; Correct the variable
config; job_version; Another version of centavo wrote the import; Use that version
config usage; invalid_project; The name of a project is not valid; Correct --project or CENTAVO_PROJECT
config; unknown_profile; The profile does not exist; List the profiles
local_io; damaged_file damaged_job foreign_file other_version; A file of centavo is damaged or of another program; Follow next
local_io; disk_full file_busy no_clipboard not_recorded; This machine cannot do it now; Free what the message names, and run it again
local_io timed_out; jq_out_of_memory; The jq program needs too much memory; Filter less at once
usage config; unreadable_file; A file cannot be read; Check its path and permissions
`;

export const ERROR_CODES: readonly ErrorCode[] = LINES.trim()
  .split('\n')
  .flatMap((line) => {
    const [kinds, codes, meaning, ...fix] = line.split('; ') as [string, string, string, ...string[]];
    const each = {kinds: kinds.split(' ') as ErrorKind[], meaning: `${meaning}.`, fix: `${fix.join('; ')}.`};
    return codes.split(' ').map((code) => ({code, ...each}));
  });
