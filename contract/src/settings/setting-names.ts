// What people call the settings: on their page, and wherever something is said of one.
import { sentence, sentencesOf, spoken, type Sentence, type Words } from '../sentences.ts'

/** By their keys, as in `PUT /api/admin/settings/{key}`. */
export const settingNames: Readonly<Record<string, string>> = {
  address_wait_hours: spoken('wait for a changed address (hours)'),
  audit_head_mail: spoken('daily mail with the proof of the audit log'),
  close_behind_max: spoken('most periods that close by themselves'),
  credit_note_number: spoken('numbers of credit notes'),
  delivery_wait_hours: spoken('wait for a bind of the client (hours)'),
  endpoint_deliveries: spoken('deliveries to endpoints'),
  global_sms_rate: spoken('global SMS rate'),
  integrity_clients: spoken('traffic checks of single clients'),
  integrity_mode: spoken('traffic checks'),
  integrity_version: spoken('version of the thresholds'),
  invoice_number: spoken('numbers of invoices'),
  message_wait_minutes: spoken('wait for the parts of a long message (minutes)'),
  newcomer_numbers_max: spoken('numbers of a newcomer (0: any)'),
  newcomer_payable_after_days: spoken('newcomers payable after (days)'),
  newcomer_sms_per_day_max: spoken('SMS a day of a newcomer (0: any)'),
  newcomer_value_max: spoken('value of a newcomer in a period (USDT, 0: any)'),
  number_stock: spoken('number stock for clients'),
  overdue_after_days: spoken('overdue after (days)'),
  invoices_from: spoken('first day of invoices'),
  payable_after_days: spoken('payable after (days)'),
  registration: spoken('who may sign up'),
  registrations_per_hour: spoken('sign-ups of one network (each hour)'),
  reverse_charge: spoken('when the reverse charge is named'),
  reverse_charge_words: spoken('words about the reverse charge'),
  run_bundling: spoken('one transfer for each client'),
  run_minimum: spoken('smallest transfer of a payment run (USDT)'),
  run_netting: spoken('credits reduce a payment run'),
  second_factor: spoken('who needs a second factor'),
  second_person_above: spoken('second person above (USDT)'),
  self_billing_words: spoken('words about self-billing'),
  setting_wait_hours: spoken('wait for a looser payment rule (hours)'),
  smpp_answer_seconds: spoken('wait for an answer (seconds)'),
  smpp_enquire_link_seconds: spoken('silence before a link is asked (seconds)'),
  smpp_public_address: spoken('public SMPP address'),
  smpp_retry_pause_seconds: spoken('longest pause between attempts to bind (seconds)'),
  smpp_send_window: spoken('messages on their way (send window)'),
  smpp_test_number: spoken('number for first messages'),
  stock_takes_per_day: spoken('numbers that a client may take (each day)'),
  treasury_addresses: spoken('treasury addresses'),
}

/** Why a value of this setting is refused, after the name that people know the setting by. */
export function settingFault(key: string, fault: Words): Sentence[] {
  return [sentence('{setting}:', { setting: { text: settingNames[key] ?? key } }), ...sentencesOf(fault)]
}
