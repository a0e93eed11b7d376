// The groups of the settings page, in their order, and the choices of settings with a fixed set of values.
import {
  endpointDeliveryStates,
  integrityModes,
  registrationModes,
  reverseChargeRules,
  secondFactorRules,
  stockOffers,
  switchStates,
} from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

export interface SettingGroup {
  readonly title: string
  readonly keys: readonly string[]
}

export const settingGroups: readonly SettingGroup[] = [
  {
    title: t('Money'),
    keys: [
      'treasury_addresses',
      'second_person_above',
      'address_wait_hours',
      'setting_wait_hours',
      'payable_after_days',
      'newcomer_payable_after_days',
      'newcomer_numbers_max',
      'newcomer_sms_per_day_max',
      'newcomer_value_max',
      'overdue_after_days',
      'close_behind_max',
      'run_minimum',
      'run_bundling',
      'run_netting',
      'integrity_mode',
      'integrity_clients',
      'integrity_version',
    ],
  },
  {
    title: t('Invoices'),
    keys: [
      'invoices_from',
      'invoice_number',
      'credit_note_number',
      'self_billing_words',
      'reverse_charge',
      'reverse_charge_words',
    ],
  },
  { title: t('Numbers'), keys: ['number_stock', 'stock_takes_per_day'] },
  {
    title: t('People'),
    keys: ['registration', 'registrations_per_hour', 'second_factor', 'audit_head_mail'],
  },
  {
    title: t('Links'),
    keys: [
      'smpp_public_address',
      'smpp_test_number',
      'smpp_enquire_link_seconds',
      'smpp_answer_seconds',
      'smpp_retry_pause_seconds',
      'smpp_send_window',
    ],
  },
  {
    title: t('Delivery to clients'),
    keys: ['endpoint_deliveries', 'delivery_wait_hours', 'message_wait_minutes'],
  },
]

/** Has a card of its own. */
export const globalRateKey = 'global_sms_rate'

type Choice =
  | (typeof integrityModes)[number]
  | (typeof registrationModes)[number]
  | (typeof endpointDeliveryStates)[number]
  | (typeof reverseChargeRules)[number]
  | (typeof secondFactorRules)[number]
  | (typeof stockOffers)[number]
  | (typeof switchStates)[number]

export const settingChoices: Readonly<Record<string, readonly Choice[]>> = {
  registration: registrationModes,
  endpoint_deliveries: endpointDeliveryStates,
  second_factor: secondFactorRules,
  number_stock: stockOffers,
  integrity_mode: integrityModes,
  reverse_charge: reverseChargeRules,
  audit_head_mail: switchStates,
  run_bundling: switchStates,
  run_netting: switchStates,
}

// As the descriptions of the settings name them.
export const choiceNames = {
  open: t('open'),
  approval: t('approval'),
  closed: t('closed'),
  on: t('on'),
  off: t('off'),
  paused: t('paused'),
  staff: t('staff'),
  request: t('request'),
  take: t('take'),
  cross_border: t('across borders'),
  always: t('always'),
  never: t('never'),
  dry_run: t('dry run'),
  enforce: t('enforce'),
} satisfies Record<Choice, string>

/** A value as people read it: a choice by its name. */
export function settingText(key: string, value: string): string {
  const choice = settingChoices[key]?.find((one) => one === value)
  return choice === undefined ? value : choiceNames[choice]
}
