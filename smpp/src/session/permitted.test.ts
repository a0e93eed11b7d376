import { expect, test } from 'vitest'
import { commandId, type CommandName, isResponse } from '../values/command-id.ts'
import type { BindMode, SessionState, Side } from './session-types.ts'
import { deniedStatus, permission } from './permitted.ts'

// SMPP 3.4 §2.3 Table 2-1: T, R, X are the binds over which a side may issue a command, O means before any bind.
const table: Record<string, [esme: string, smsc: string]> = {
  bind_transmitter: ['O', ''],
  bind_receiver: ['O', ''],
  bind_transceiver: ['O', ''],
  outbind: ['', 'O'],
  unbind: ['OTRX', 'OTRX'],
  submit_sm: ['TX', ''],
  submit_multi: ['TX', ''],
  data_sm: ['TX', 'RX'],
  deliver_sm: ['', 'RX'],
  query_sm: ['TX', ''],
  cancel_sm: ['TX', ''],
  replace_sm: ['TX', ''],
  enquire_link: ['OTRX', 'OTRX'],
  alert_notification: ['', 'RX'],
}

const situations: [string, SessionState, BindMode | undefined][] = [
  ['O', 'open', undefined],
  ['T', 'bound', 'transmitter'],
  ['R', 'bound', 'receiver'],
  ['X', 'bound', 'transceiver'],
]

const requests = (Object.keys(commandId) as CommandName[]).filter((name) => !isResponse(commandId[name]))

test('the table covers every request', () => {
  expect(Object.keys(table).toSorted()).toEqual(requests.toSorted())
})

test.each(requests)('%s is permitted exactly where Table 2-1 has it', (name) => {
  for (const [letter, state, mode] of situations) {
    for (const [index, side] of (['esme', 'smsc'] as const satisfies Side[]).entries()) {
      const expected = table[name]![index]!.includes(letter)
      expect([side, letter, permission(side, state, mode, commandId[name]) === 'yes']).toEqual([
        side,
        letter,
        expected,
      ])
    }
  }
})

test.each(['binding', 'unbinding', 'closed'] as const)(
  'while %s only enquire_link and unbind are served',
  (state) => {
    for (const name of requests) {
      const isServed = name === 'enquire_link' || name === 'unbind'
      expect(permission('esme', state, 'transceiver', commandId[name]) === 'yes').toBe(isServed)
    }
  },
)

test('each denial has its status', () => {
  expect(deniedStatus(permission('esme', 'bound', 'receiver', commandId.bind_receiver), 1, false)).toBe(0x05)
  expect(deniedStatus('no', commandId.submit_sm, false)).toBe(0x04)
  // While we unbind: send it again.
  for (const [name, status] of [
    ['submit_sm', 0x14],
    ['submit_multi', 0x14],
    ['data_sm', 0x14],
    ['deliver_sm', 0x64],
    ['query_sm', 0x08],
  ] as const)
    expect(deniedStatus('no', commandId[name], true), name).toBe(status)
  expect(deniedStatus('stranger', commandId.alert_notification, false)).toBe(0x03)
})
