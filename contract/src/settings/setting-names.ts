// What people call the settings: on their page, and wherever something is said of one.
import { sentence, sentencesOf, spoken, type Sentence, type Words } from '../sentences.ts'

/** By their keys, as in `PUT /api/admin/settings/{key}`. */
export const settingNames: Readonly<Record<string, string>> = {
  address_wait_hours: spoken('address wait hours'),
  audit_head_mail: spoken('audit head mail'),
  close_behind_max: spoken('close behind max'),
  credit_note_number: spoken('credit note number'),
  delivery_wait_hours: spoken('delivery wait hours'),
  endpoint_deliveries: spoken('endpoint deliveries'),
  global_sms_rate: spoken('global SMS rate'),
  integrity_mode: spoken('integrity mode'),
  invoice_number: spoken('invoice number'),
  message_wait_minutes: spoken('message wait minutes'),
  number_stock: spoken('number stock'),
  overdue_after_days: spoken('overdue after days'),
  invoices_from: spoken('invoices from'),
  payable_after_days: spoken('payable after days'),
  registration: spoken('registration'),
  registrations_per_hour: spoken('registrations per hour'),
  reverse_charge: spoken('reverse charge'),
  reverse_charge_words: spoken('reverse charge words'),
  run_bundling: spoken('run bundling'),
  run_minimum: spoken('run minimum'),
  run_netting: spoken('run netting'),
  second_factor: spoken('second factor'),
  second_person_above: spoken('second person above'),
  self_billing_words: spoken('self billing words'),
  setting_wait_hours: spoken('setting wait hours'),
  smpp_answer_seconds: spoken('SMPP answer seconds'),
  smpp_enquire_link_seconds: spoken('SMPP enquire link seconds'),
  smpp_retry_pause_seconds: spoken('SMPP retry pause seconds'),
  smpp_send_window: spoken('SMPP send window'),
  stock_takes_per_day: spoken('stock takes per day'),
  treasury_addresses: spoken('treasury addresses'),
}

/** Why a value of this setting is refused, after the name that people know the setting by. */
export function settingFault(key: string, fault: Words): Sentence[] {
  return [sentence('{setting}:', { setting: { text: settingNames[key] ?? key } }), ...sentencesOf(fault)]
}
