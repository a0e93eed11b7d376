// SMPP 3.4 §5.1.2.1: every command_id, by the specification's own name.

export const commandId = {
  generic_nack: 0x80000000,
  bind_receiver: 0x00000001,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x00000002,
  bind_transmitter_resp: 0x80000002,
  query_sm: 0x00000003,
  query_sm_resp: 0x80000003,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  replace_sm: 0x00000007,
  replace_sm_resp: 0x80000007,
  cancel_sm: 0x00000008,
  cancel_sm_resp: 0x80000008,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  outbind: 0x0000000b,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
  submit_multi: 0x00000021,
  submit_multi_resp: 0x80000021,
  alert_notification: 0x00000102,
  data_sm: 0x00000103,
  data_sm_resp: 0x80000103,
} as const

export type CommandName = keyof typeof commandId

const nameById = new Map<number, CommandName>(
  (Object.keys(commandId) as CommandName[]).map((name) => [commandId[name], name]),
)

/** The name of a command_id, or undefined for one that SMPP 3.4 does not define. */
export function commandName(id: number): CommandName | undefined {
  return nameById.get(id)
}

/** Whether the high bit of a command_id marks a response (§5.1.2). */
export function isResponse(id: number): boolean {
  return id >= 0x80000000
}
